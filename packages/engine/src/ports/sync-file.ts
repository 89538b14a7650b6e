/**
 * A file with exclusive, synchronous access. A failed call throws a `DOMException` or another error
 * of the platform.
 */
export interface SyncFile {
  /** Reads bytes from position `at`. Returns how many it read. */
  read(into: Uint8Array, at: number): number;
  /** Writes bytes at position `at`. Returns how many of the first bytes it wrote. */
  write(bytes: Uint8Array, at: number): number;
  truncate(length: number): void;
  size(): number;
  /** Returns when everything written is on disk. After a failure, the content is unknown. */
  flush(): void;
  close(): void;
}

/** The files of a store. All of them exist for as long as the store does. */
export interface StoreFiles {
  readonly logs: readonly [SyncFile, SyncFile];
  readonly marker: SyncFile;
}
