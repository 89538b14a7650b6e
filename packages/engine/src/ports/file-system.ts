/** An open file. Errors are those of the operating system, with its `code`. */
export interface OpenFile {
  /**
   * Reads bytes from position `at`, at most as many as fit in `into`. Returns the number of bytes
   * read.
   */
  read(into: Uint8Array, at: number): Promise<number>;
  /**
   * Writes bytes at position `at`. Returns how many of the first bytes it wrote, which may be fewer
   * than all.
   */
  write(bytes: Uint8Array, at: number): Promise<number>;
  /** Writes synchronously. Meant for few bytes, which are only copied into system memory. */
  writeNow(bytes: Uint8Array, at: number): number;
  truncate(length: number): Promise<void>;
  /**
   * Resolves when everything written is on disk. After a failure, the content on disk is unknown.
   */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface Lock {
  /**
   * Returns whether the lock's file still exists. The file disappears when its folder is removed or
   * replaced.
   */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** The file system that a store uses. Paths use `/` between folder and name. */
export interface FileSystem {
  /**
   * Opens a file. `existing` fails with ENOENT when there is no file, `create` creates a missing
   * file, and `empty` also truncates the file.
   */
  open(path: string, how: 'existing' | 'create' | 'empty'): Promise<OpenFile>;
  /** Returns all bytes, or undefined when there is no such file. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /**
   * Returns some bytes of a file, or fewer if the file ends earlier; undefined when there is no
   * such file.
   */
  readPart(path: string, at: number, length: number): Promise<Uint8Array | undefined>;
  /** Renames a file or folder, and replaces a file at `to`. Durable only after `syncFolder`. */
  rename(from: string, to: string): Promise<void>;
  /** Creates the folder and its parents, durably, accessible to this user only. */
  makeFolder(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** Returns the names of the files in the folder; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Removes a file, if it exists. */
  remove(path: string): Promise<void>;
  /** Removes the folder and everything in it. */
  removeFolder(path: string): Promise<void>;
  /**
   * Runs short work while no other process works under this path.
   * @throws FixpointError STORE_LOCKED when the wait takes too long
   */
  oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T>;
  /**
   * Acquires the lock at this path. Returns undefined when a living thread of a living process has
   * the lock. Only one caller at a time may call this for one path.
   */
  lock(path: string): Promise<Lock | undefined>;
  /** Calls back when the file changed. The call is a hint that may be lost. */
  watch(path: string, fn: () => void): () => void;
  /**
   * Returns a stamp of the file at this path. The stamp changes with each write that makes the file
   * longer, and when the file is replaced. Undefined if there is no file.
   */
  stamp(path: string): Promise<string | undefined>;
}
