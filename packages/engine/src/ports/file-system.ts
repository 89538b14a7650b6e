/** An open file. Errors are those of the operating system, with its `code`. */
export interface OpenFile {
  /** Reads from `at` on, at most the length of `into`; returns the number of bytes read. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** Writes bytes from the first on; returns how many, which may not be all. */
  write(bytes: Uint8Array, at: number): Promise<number>;
  /** Writes synchronously: for few bytes, where it only copies into system memory. */
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
   * Returns whether the file still exists: it disappears when its folder is removed or replaced.
   */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** The file system that a store uses. Paths use `/` between folder and name. */
export interface FileSystem {
  /**
   * `existing` fails with ENOENT when there is none; `create` creates it; `empty` also truncates
   * it.
   */
  open(path: string, how: 'existing' | 'create' | 'empty'): Promise<OpenFile>;
  /** Returns all bytes, or undefined when there is no such file. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /**
   * Returns some bytes of a file, fewer where it ends before; undefined when there is no such file.
   */
  readPart(path: string, at: number, length: number): Promise<Uint8Array | undefined>;
  /** Replaces what is at `to`. Durable only after `syncFolder`. */
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
   * @throws FixpointError STORE_LOCKED when that lasts too long
   */
  oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T>;
  /**
   * Takes the lock of this path; returns undefined when a living thread of a living process has it.
   * Only one caller at a time.
   */
  lock(path: string): Promise<Lock | undefined>;
  /** Calls back when the file changed; a hint that may be lost. */
  watch(path: string, fn: () => void): () => void;
  /**
   * Returns a stamp of the path's content: it changes with each write that makes the file longer,
   * and when the file is replaced. Undefined if there is none.
   */
  stamp(path: string): Promise<string | undefined>;
}
