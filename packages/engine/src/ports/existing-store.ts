/**
 * A database of the format's first implementation (`@fireproof/core` 0.24) on this device. The
 * engine reads it and never writes to it. CIDs identify archives. A key record has a name such as
 * `@<database>-data@`.
 */
export interface ExistingStore {
  /** The location of the database, for messages. */
  readonly place: string;
  /** JSON: an array of meta entries. Undefined when nothing was ever committed. */
  readMeta(): Promise<Uint8Array | undefined>;
  /** Returns an archive of blocks as stored, which may be encrypted or not. */
  readArchive(cid: string): Promise<Uint8Array | undefined>;
  /** Returns an archive of attached files. */
  readFileArchive(cid: string): Promise<Uint8Array | undefined>;
  /** Returns the CIDs of all archives of blocks. */
  archives(): Promise<readonly string[]>;
  /**
   * Returns the record of a key in the key bag, parsed from JSON; undefined if there is none.
   * @throws FixpointError CORRUPT
   */
  readKeyRecord(name: string): Promise<unknown>;
  /**
   * Returns all parsable records of the key bag. In a browser, the name of a database may differ
   * from the name in its key record.
   */
  readKeyRecords(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** Where to look for such a database; missing values default to that implementation's locations. */
export interface ExistingPlace {
  /** URL of the folder of databases: `file://...`; a browser has only one place. */
  readonly base?: string | undefined;
  /** URL of its key bag. */
  readonly keyBag?: string | undefined;
  /** Name of its key, when it is not `@<name>-data@`. */
  readonly storeKey?: string | undefined;
}

/** Target for writing a database in that implementation's format. */
export interface ExistingTarget {
  /** The location of the new database, for messages. */
  readonly place: string;
  /** Returns whether a database already exists there. */
  isTaken(): Promise<boolean>;
  /** Writes one file durably, at a path below the folder of the database. */
  write(path: string, bytes: Uint8Array): Promise<void>;
  /** @throws FixpointError CORRUPT */
  readKeyRecord(name: string): Promise<unknown>;
  writeKeyRecord(name: string, record: unknown): Promise<void>;
}
