import type { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Doc } from '../documents/encode.ts';
import type { Attached, Remote } from '../sync/remote.ts';
import type {
  AllDocs,
  AllDocsOptions,
  BulkOptions,
  BulkWritten,
  Changes,
  MapFunction,
  QueryOptions,
  QueryResult,
  RotatedKey,
  Stored,
  TypedMap,
  Written,
} from './database-results.ts';
import type { History } from './history.ts';
import type { Proofs } from './proofs.ts';
import type { TimeTravel } from './time-travel.ts';

export type {
  AllDocs,
  AllDocsOptions,
  BulkOptions,
  BulkWritten,
  ChangeRow,
  Changes,
  DocRow,
  Emit,
  MapFunction,
  QueryOptions,
  QueryResult,
  QueryRow,
  RotatedKey,
  Stored,
  TypedMap,
  Written,
} from './database-results.ts';

/**
 * A handle of a database. Calls wait until it is open; after `close` they fail with
 * DATABASE_CLOSED.
 */
export interface Database extends TimeTravel, History, Proofs {
  readonly name: string;
  /** The current head; equal heads mean equal content. Empty until the database is open. */
  readonly head: Head;
  /**
   * Resolves when the database is open.
   * @throws FixpointError CORRUPT, STORE_LOCKED, STORE_LOST, STORE_UNREADABLE, MISSING_KEYBAG,
   * KEY_BAG_LOCKED, KEY_UNKNOWN: why the database cannot be opened
   */
  ready(): Promise<void>;
  /**
   * Creates or replaces a document; resolves when it is durable.
   *
   * Without an `_id`, or with an empty one, the document gets a random id that sorts after all ids
   * this process created before; ids from different devices and tabs sort by their clocks. The
   * document is copied at the call: later changes to the object are not written. A document whose
   * `_deleted` is true is deleted, as with {@link del}.
   * @throws FixpointError DOC_INVALID, KEY_INVALID, DOC_ID_REQUIRED for a deletion without an
   * `_id`; FILE_INVALID, LIMIT_REACHED, STORE_FULL, STORE_FAILED
   */
  put(doc: Readonly<Record<string, unknown>>): Promise<Written>;
  /**
   * Returns the document with this id.
   * @throws FixpointError NOT_FOUND, also for a deleted document; DOC_ID_REQUIRED, KEY_INVALID,
   * MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  get<T extends object = Doc>(id: string): Promise<Stored<T>>;
  /**
   * Deletes a document. Succeeds even if the id doesn't exist.
   * @throws FixpointError DOC_ID_REQUIRED, KEY_INVALID, STORE_FULL, STORE_FAILED
   */
  del(id: string): Promise<Written>;
  /** Deletes a document; an alias of {@link del}. */
  remove(id: string): Promise<Written>;
  /**
   * Writes all documents in one durable commit, or none. If an id occurs more than once, the last
   * document wins.
   * @throws FixpointError as {@link put} and {@link del}; QUERY_INVALID
   */
  bulk(docs: readonly Readonly<Record<string, unknown>>[], options?: BulkOptions): Promise<BulkWritten>;
  /**
   * Returns documents sorted by id.
   * @throws FixpointError QUERY_INVALID, KEY_INVALID, DOC_ID_REQUIRED for `key` and `keys`;
   * MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  allDocs<T extends object = Doc>(options?: AllDocsOptions): Promise<AllDocs<T>>;
  /**
   * Returns the rows of an index, defined by a field name, a map function, or the source text of
   * one. The first query builds the index; later queries update it with the documents that changed.
   *
   * - A field name: one row for each document whose field is neither null nor undefined; its value
   *   is null.
   * - A function: called with each document. It calls `emit(key, value)` any number of times, or
   *   returns one key, with null as the value; an undefined key is ignored. A falsy value (0, '',
   *   false) is stored as null; parts of a value that JSON omits are omitted. The function must
   *   depend on the document alone. If it throws for any document, the query fails until it no
   *   longer does. A function that uses only its arguments is identified by its source text: its
   *   index is stored, and reused when the database is opened again. A function that captures outer
   *   variables is identified by object identity; its index stays in memory as long as that object.
   * - `{source}`: the source text of such a function; it runs in the sandbox that the database was
   *   opened with.
   *
   * Deleted documents have no rows. The result reflects one version, which includes every write
   * that was acknowledged before the call.
   * @throws FixpointError MAP_FAILED with the message of what the function threw; and for
   * `{source}` without a sandbox; QUERY_INVALID, MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  query<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: QueryOptions,
  ): Promise<QueryResult<T>>;
  /**
   * Returns documents changed since `since`, the `clock` of an earlier result: each once, oldest
   * change first. With `limit`, returns only the newest N.
   * @throws FixpointError HEAD_INVALID, QUERY_INVALID; MISSING_BLOCK when the head is not known
   * here, or compaction dropped it; MISSING_CARS, CORRUPT
   */
  changes<T extends object = Doc>(since?: Head, options?: { limit?: number }): Promise<Changes<T>>;
  /**
   * Calls `listener` after each change, local or remote. With `updates`, it receives the changed
   * documents, deleted ones as `{_id, _deleted: true}`; otherwise an empty list. Returns a function
   * that unsubscribes. A listener that throws or rejects is reported and doesn't affect the others.
   * @throws FixpointError REQUEST_INVALID when `listener` isn't a function
   */
  subscribe(listener: (docs: readonly Stored[]) => void, updates?: boolean): () => void;
  /**
   * Starts syncing with a ledger, in both directions. Existing local data is merged, never
   * replaced. Doesn't wait for the network: the status shows why a ledger is unreachable or rejects
   * the connection. From the first attachment on, compaction drops no events of the history.
   * @throws FixpointError REQUEST_INVALID when the remote has no address; STORE_LOCKED when older
   * history was dropped and another process has the database open; CORRUPT, FORMAT_NEWER for the
   * stored state of the ledger; STORE_FULL, STORE_FAILED
   */
  attach(remote: Remote): Promise<Attached>;
  /**
   * Drops data that neither the current version nor the kept history needs, merges small archives
   * into larger ones, and removes files that no document has referenced for an hour. Reads and
   * writes continue while it runs. It also runs automatically. If another process may have the
   * database open, nothing is dropped.
   * @throws FixpointError STORE_FULL, STORE_FAILED; MISSING_BLOCK, MISSING_CARS, CORRUPT when
   * something cannot be read: then nothing is dropped
   */
  compact(): Promise<void>;
  /**
   * Encrypts new local data with a new random key. Data encrypted with older keys stays readable.
   * With `rewrite`, existing data is re-encrypted with the new key too, and keys older than the
   * last rotation, which then open nothing, are deleted unless a ledger may still need them.
   * @throws FixpointError KEY_UPSERT when the new key could not be saved: the old key stays in use
   */
  rotateKey(options?: { rewrite?: boolean }): Promise<RotatedKey>;
  /**
   * Protects the keys on this device with this passphrase, or with none if `undefined`. Node only.
   * @throws FixpointError NOT_IMPLEMENTED in a browser, whose device key guards the keys;
   * CONFIG_INVALID for an invalid passphrase; KEY_UPSERT
   */
  changePassphrase(passphrase: string | undefined): Promise<void>;
  /**
   * Closes this handle; the database closes with its last one. Has no effect if the handle is
   * already closed or the database was destroyed.
   */
  close(): Promise<void>;
  /**
   * Closes the database under all of its handles, here and in other tabs and processes, and removes
   * everything it stored on this device except its key.
   * @throws FixpointError STORE_FAILED
   */
  destroy(): Promise<void>;
  /**
   * Calls `fn` once when the database closes: without a reason after `close` or `destroy` here or
   * `destroy` in another tab or process; with STORE_LOST when the browser or the user removed this
   * site's data while the database was open. Every later call rejects with that reason. Returns a
   * function that unsubscribes.
   * @throws FixpointError REQUEST_INVALID when `fn` isn't a function
   */
  onClosed(fn: (reason?: FixpointError) => void): () => void;
}
