/**
 * A database of the format's first implementation (`@fireproof/core` 0.24), as it lies on this device. It is read and never written.
 * Archives are named by their CIDs, keys by what stands between the `@` of their records.
 */
export interface ExistingStore {
  /** Where it lies, for messages. */
  readonly place: string;
  /** JSON: an array of meta entries. Undefined when nothing was ever committed. */
  readMeta(): Promise<Uint8Array | undefined>;
  /** An archive of blocks, as it is stored: sealed or not. */
  readArchive(cid: string): Promise<Uint8Array | undefined>;
  /** An archive of attached files. */
  readFileArchive(cid: string): Promise<Uint8Array | undefined>;
  /** The CIDs of all archives of blocks. */
  archives(): Promise<readonly string[]>;
  /** The record of a key in its key bag, parsed from JSON; undefined when there is none. @throws FixpointError CORRUPT */
  readKeyRecord(name: string): Promise<unknown>;
  /** All records of its key bag that can be parsed: in a browser, a database may be known by another name than its keys. */
  readKeyRecords(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Where such a database is looked for; what is not given is where that implementation puts it. */
export interface ExistingPlace {
  /** URL of the folder of databases: `file://...`; a browser has only one place. */
  readonly base?: string | undefined;
  /** URL of its key bag. */
  readonly keyBag?: string | undefined;
  /** Name of its key, when it is not `@<name>-data@`. */
  readonly storeKey?: string | undefined;
}

/** Where a database is written in that implementation's form. */
export interface ExistingTarget {
  /** Where it will lie, for messages. */
  readonly place: string;
  /** Whether a database lies there already. */
  isTaken(): Promise<boolean>;
  /** Writes one file, durably, at a path below the folder of the database. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** @throws FixpointError CORRUPT */
  readKeyRecord(name: string): Promise<unknown>;
  writeKeyRecord(name: string, record: unknown): Promise<void>;
}
