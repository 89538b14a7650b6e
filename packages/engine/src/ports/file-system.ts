/** An open file. Errors are those of the operating system, with its `code`. */
export interface OpenFile {
  /** Reads what there is from `at` on, up to the length of `into`; gives how much that was. */
  read(into: Uint8Array, at: number): Promise<number>;
  /** Writes some of the bytes, from the first on, and gives how many: not always all of them. */
  write(bytes: Uint8Array, at: number): Promise<number>;
  /** The same without a thread: for few bytes, where it is a copy into memory of the system. */
  writeNow(bytes: Uint8Array, at: number): number;
  truncate(length: number): Promise<void>;
  /** Resolves when all that was written is on the disk. After a failure nobody knows what is. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface Lock {
  /** Whether it is still there: it goes with its folder when that is removed, or another one takes its place. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** What a store needs of a file system. A path is a text with `/` between folder and name. */
export interface FileSystem {
  /** `existing` fails with ENOENT when there is none; `create` makes it then; `empty` also drops what is in it. */
  open(path: string, how: 'existing' | 'create' | 'empty'): Promise<OpenFile>;
  /** All bytes, or undefined when there is no such file. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Some bytes of a file, fewer where it ends before; undefined when there is no such file. */
  readPart(path: string, at: number, length: number): Promise<Uint8Array | undefined>;
  /** Replaces what is at `to`. On the disk for sure only after `syncFolder`. */
  rename(from: string, to: string): Promise<void>;
  /** Makes the folder and those above it, durably, for this user alone. */
  makeFolder(path: string): Promise<void>;
  syncFolder(path: string): Promise<void>;
  /** The names of the files in the folder; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Removes a file, if there is one. */
  remove(path: string): Promise<void>;
  /** Removes the folder and all in it. */
  removeFolder(path: string): Promise<void>;
  /** Does short work while no other process does work under this path. @throws FixpointError STORE_LOCKED when that lasts too long */
  oneAtATime<T>(path: string, work: () => Promise<T>): Promise<T>;
  /** To be called by one at a time. Takes the lock of this path, or gives undefined when a living thread of a living process has it. */
  lock(path: string): Promise<Lock | undefined>;
  /** Calls back when the file changed; a hint, which may be lost. */
  watch(path: string, fn: () => void): () => void;
  /** What tells this content of the path from another: it changes with each write that makes the file longer, and when the file is replaced. Undefined when there is none. */
  stamp(path: string): Promise<string | undefined>;
}
