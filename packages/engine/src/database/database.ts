import type { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Doc } from '../documents/encode.ts';
import type { Emit, MapFunction, QueryOptions } from '../index/define.ts';
import type { Attached, Remote } from '../sync/remote.ts';
import type { History } from './history.ts';
import type { Proofs } from './proofs.ts';
import type { TimeTravel } from './time-travel.ts';

export type { Emit, MapFunction, QueryOptions };

/** A document as it comes back: its fields and its id. */
export type Stored<T extends object = Doc> = T & { _id: string };

/** What a write resolves with, when it is durable. */
export interface Written {
  readonly id: string;
  /** The head after the write. */
  readonly clock: Head;
  readonly name: string;
}

/** What a bulk does beside writing documents. */
export interface BulkOptions {
  /** Ids of documents to delete in the same step; one that does not exist is no error. */
  readonly del?: readonly string[] | undefined;
}

/** As {@link Written}, for many documents; `ids` are in the order of the documents, then of those to delete. */
export interface BulkWritten {
  readonly ids: readonly string[];
  readonly clock: Head;
  readonly name: string;
}

/** What a rotation resolves with. */
export interface RotatedKey {
  /** The id of the key that seals from now on: its hash, base58btc. */
  readonly keyId: string;
}

/** Which documents. `key` counts before `keys`, and both before `prefix` and `range`, which hold together. */
export interface AllDocsOptions {
  /** At most so many rows. */
  readonly limit?: number;
  /** The greatest id first. */
  readonly descending?: boolean;
  /** The document with this id. */
  readonly key?: string;
  /** The documents with these ids, in this order; there is no row for one that does not exist. */
  readonly keys?: readonly string[];
  /** Ids that begin so. */
  readonly prefix?: string;
  /** Ids from and to, both included, in the order of UTF-16 code units. */
  readonly range?: readonly [string, string];
  /** Deleted documents too, as `{_id, _deleted: true}`. */
  readonly includeDeleted?: boolean;
}

/** A document by its id, which is `key`. */
export interface DocRow<T extends object = Doc> {
  readonly key: string;
  readonly value: Stored<T>;
}

/** Documents of one moment, whose head is `clock`. */
export interface AllDocs<T extends object = Doc> {
  readonly rows: readonly DocRow<T>[];
  readonly clock: Head;
  readonly name: string;
}

/** A document that was written; a deleted one is `{_id, _deleted: true}`. */
export interface ChangeRow<T extends object = Doc> extends DocRow<T> {
  /** The event that wrote the document last. */
  readonly clock: string;
}

/** What was written up to `clock`, which is the `since` of the next call. */
export interface Changes<T extends object = Doc> {
  readonly rows: readonly ChangeRow<T>[];
  readonly clock: Head;
  readonly name: string;
}

/** One row of an index: the key and value that the map function gave, and the document that they are of. */
export interface QueryRow<T extends object = Doc> {
  readonly key: unknown;
  readonly id: string;
  readonly value: unknown;
  /** The document; absent with `includeDocs: false`. */
  readonly doc?: Stored<T>;
}

/** Rows in the order of their keys, then of their ids. */
export interface QueryResult<T extends object = Doc> {
  readonly rows: readonly QueryRow<T>[];
  /** The documents of the rows; absent with `includeDocs: false`. */
  readonly docs?: readonly Stored<T>[];
}

/** Text of a map function that was typed, or came from somebody else: it runs in the sandbox. */
export interface TypedMap {
  readonly source: string;
}

/** A handle of a database. Calls wait until it is open; after `close` they fail with DATABASE_CLOSED. */
export interface Database extends TimeTravel, History, Proofs {
  readonly name: string;
  /** The current head; equal heads are equal content. Empty until the database is open. */
  readonly head: Head;
  /** Resolves when the database is open. @throws FixpointError CORRUPT, STORE_LOCKED, STORE_LOST, STORE_UNREADABLE, MISSING_KEYBAG, KEY_BAG_LOCKED, KEY_UNKNOWN: why the database cannot be opened */
  ready(): Promise<void>;
  /**
   * Resolves when the document is durable. Without an `_id`, or with an empty one, it gets a random one that sorts after all that this process made before;
   * ids of different devices and tabs sort by their clocks. It is taken as it is at the call: what the caller changes afterwards is not written. A document whose
   * `_deleted` is true is deleted, as {@link del} does it.
   * @throws FixpointError DOC_INVALID, KEY_INVALID, DOC_ID_REQUIRED for a deletion without an `_id`; FILE_INVALID, LIMIT_REACHED, STORE_FULL, STORE_FAILED
   */
  put(doc: Readonly<Record<string, unknown>>): Promise<Written>;
  /** The document with this id. @throws FixpointError NOT_FOUND, also for a deleted document; DOC_ID_REQUIRED, KEY_INVALID, MISSING_BLOCK, MISSING_CARS, CORRUPT */
  get<T extends object = Doc>(id: string): Promise<Stored<T>>;
  /** Deletes a document. Never fails for an id that does not exist. @throws FixpointError DOC_ID_REQUIRED, KEY_INVALID, STORE_FULL, STORE_FAILED */
  del(id: string): Promise<Written>;
  /** The same as {@link del}. */
  remove(id: string): Promise<Written>;
  /** All documents in one durable step, or none; of several with one id the last one counts. @throws FixpointError as {@link put} and {@link del}; QUERY_INVALID */
  bulk(docs: readonly Readonly<Record<string, unknown>>[], options?: BulkOptions): Promise<BulkWritten>;
  /** Documents in the order of their ids. @throws FixpointError QUERY_INVALID, KEY_INVALID, DOC_ID_REQUIRED for `key` and `keys`; MISSING_BLOCK, MISSING_CARS, CORRUPT */
  allDocs<T extends object = Doc>(options?: AllDocsOptions): Promise<AllDocs<T>>;
  /**
   * Rows by a field's name, a map function, or the text of one. The first query builds an index, later ones bring it up to date by what changed.
   *
   * - A field: a row for each document that has it and in which it is neither null nor undefined; its value is null.
   * - A function is called with each document. It calls `emit(key, value)` any number of times, or gives back one key (whose value is null);
   *   undefined is no key. A value that is false in a condition (0, '', false) is kept as null; what JSON leaves out of a value is left out.
   *   It must depend on the document alone. If it throws for any document, the query fails until it no longer does.
   *   A function that sees nothing but its arguments is known by its text: its index is stored, and found when the database is opened again.
   *   One that captures something from around it is known only as this very object, and its index lives as long as that, in memory.
   * - `{source}`: the text of such a function; it runs in the sandbox that the database was opened with.
   *
   * Deleted documents have no rows. The answer is that of one moment, in which every write that was acknowledged before the call is seen.
   * @throws FixpointError MAP_FAILED with the message of what the function threw; and for `{source}` without a sandbox; QUERY_INVALID, MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  query<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: QueryOptions,
  ): Promise<QueryResult<T>>;
  /**
   * Documents written since a head that was the `clock` of an earlier answer, oldest first; each once. With `limit` only the newest so many.
   * @throws FixpointError HEAD_INVALID, QUERY_INVALID; MISSING_BLOCK when the head is not known here, or compaction dropped it; MISSING_CARS, CORRUPT
   */
  changes<T extends object = Doc>(since?: Head, options?: { limit?: number }): Promise<Changes<T>>;
  /**
   * Calls back after each change, local or remote; with `updates` it gets the documents that changed, deleted ones as `{_id, _deleted: true}`, else an empty list.
   * What it gives back ends that. A listener that throws, or whose promise fails, is reported and disturbs no other.
   * @throws FixpointError REQUEST_INVALID for what is no function
   */
  subscribe(listener: (docs: readonly Stored[]) => void, updates?: boolean): () => void;
  /**
   * Syncs with a ledger from now on, both ways. What the database held before is merged, never replaced. It waits for no network: why a ledger is not
   * reached, or refuses, stands in the status. From now on no event of the history is dropped.
   * @throws FixpointError REQUEST_INVALID when the remote has no address; STORE_LOCKED when older history was dropped and another process has the database
   * open; CORRUPT, FORMAT_NEWER for what is remembered of the ledger; STORE_FULL, STORE_FAILED
   */
  attach(remote: Remote): Promise<Attached>;
  /**
   * Drops what neither the present nor the kept past needs, merges small archives into big ones, and removes files that no document has referred to for an
   * hour. Readers and writers go on meanwhile. It also happens by itself. Where another process may have the database open, nothing is dropped.
   * @throws FixpointError STORE_FULL, STORE_FAILED; MISSING_BLOCK, MISSING_CARS, CORRUPT when something cannot be read: then nothing is dropped
   */
  compact(): Promise<void>;
  /**
   * From now on a new random key seals what is written here. What other keys sealed stays readable; with `rewrite` it is sealed with the new key too,
   * and keys from before the last rotation, which then open nothing, are forgotten unless a ledger may still need them.
   * @throws FixpointError KEY_UPSERT when the new key could not be kept: the old one goes on then
   */
  rotateKey(options?: { rewrite?: boolean }): Promise<RotatedKey>;
  /**
   * From now on the keys on this device open with this passphrase alone, or with `undefined` without one. In Node only.
   * @throws FixpointError NOT_IMPLEMENTED in a browser, whose device key guards the keys; CONFIG_INVALID for what is no passphrase; KEY_UPSERT
   */
  changePassphrase(passphrase: string | undefined): Promise<void>;
  /** Ends this handle; the database closes with its last one. Closing it again, or after the database was destroyed, does nothing more. */
  close(): Promise<void>;
  /** Closes the database under all of its handles, here and in other tabs and processes, and removes all that it stored on this device but its key. @throws FixpointError STORE_FAILED */
  destroy(): Promise<void>;
  /**
   * Calls back once when the database closes: after `close` or `destroy` here or `destroy` in another tab or process, without a reason; with STORE_LOST when
   * the browser or the user removed the data of this site while the database was open. Every later call rejects with that reason. Returns a function that
   * ends it.
   * @throws FixpointError REQUEST_INVALID when `fn` isn't a function
   */
  onClosed(fn: (reason?: FixpointError) => void): () => void;
}
