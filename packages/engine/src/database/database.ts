import type { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import type { Doc } from '../documents/encode.ts';
import type { IndexDeclaration } from '../index/declared.ts';
import type { Durability } from '../ports/byte-store.ts';
import type { ExistingPlace } from '../ports/existing-store.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { StoreChoice } from '../ports/store-choice.ts';
import type { Attached, Remote } from '../sync/remote.ts';
import type { HistoryOption } from './core.ts';
import type {
  AllDocs,
  AllDocsOptions,
  BulkOptions,
  BulkWritten,
  Changes,
  Finding,
  MapFunction,
  MergeRule,
  QueryOptions,
  QueryResult,
  RotatedKey,
  Stored,
  Transaction,
  TypedMap,
  Written,
} from './database-results.ts';
import type { Conflicts } from './past/conflicts-interface.ts';
import type { History } from './past/history.ts';
import type { Proofs } from './past/proofs.ts';
import type { TimeTravel } from './past/time-travel.ts';

export type {
  AllDocs,
  AllDocsOptions,
  BulkOptions,
  BulkWritten,
  ChangeRow,
  Changes,
  DocRow,
  Emit,
  Explanation,
  Fields,
  Finding,
  FindOptions,
  FindResult,
  Group,
  GroupOptions,
  IndexDeclaration,
  KnownIndex,
  MapFunction,
  MergeRule,
  QueryOptions,
  QueryResult,
  QueryRow,
  Reference,
  References,
  RotatedKey,
  Stored,
  Transaction,
  TypedMap,
  Where,
  Written,
} from './database-results.ts';

/**
 * A handle of a database. Calls wait until the database is open; after `close`, calls fail with
 * DATABASE_CLOSED.
 */
export interface Database extends Finding, TimeTravel, History, Conflicts, Proofs {
  readonly name: string;
  /**
   * Resolves when the database is open.
   * @throws FixpointError CORRUPT, STORE_LOCKED, STORE_LOST, STORE_UNREADABLE, MISSING_KEYBAG,
   * KEY_BAG_LOCKED, KEY_UNKNOWN: why the database cannot be opened
   */
  ready(): Promise<void>;
  /**
   * Returns the head of the current version, which includes every write that was acknowledged
   * before the call. Databases with equal heads have equal content. An empty database has an empty
   * head.
   */
  head(): Promise<Head>;
  /**
   * Creates or replaces a document; resolves when the write is durable.
   *
   * Without an `_id`, or with an empty one, the document gets a random id that sorts after all ids
   * that this process created before. Ids from different devices and tabs sort by the clocks of
   * their devices. The call copies the document at once, so later changes to the object are not
   * written. A document whose `_deleted` is true is deleted, as with {@link del}.
   * @throws FixpointError DOC_INVALID, KEY_INVALID, DOC_ID_REQUIRED for a deletion without an
   * `_id`; FILE_INVALID, LIMIT_REACHED, STORE_FULL, STORE_FAILED
   */
  put(doc: object): Promise<Written>;
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
  bulk(docs: readonly object[], options?: BulkOptions): Promise<BulkWritten>;
  /**
   * Changes a document: calls `change` with the current document, or with undefined if there is
   * none, and writes what it returns under the same id. No other write of this database comes in
   * between, in any tab, so no change is lost. If `change` returns undefined, nothing is written.
   * If it returns a document whose `_deleted` is true, the document is deleted. `change` must not
   * be asynchronous, and may be called again if another tab was faster. Concurrent changes on other
   * devices, or in another Node process, still merge like all writes. In the page of an engine in a
   * worker, other writes can come in between; then `change` is called again.
   * @throws FixpointError as {@link put}, CONFLICT if other writes were faster 100 times, and any
   * error that `change` throws
   */
  update<T extends object = Doc>(
    id: string,
    change: (doc: Stored<T> | undefined) => object | undefined,
  ): Promise<Written>;
  /**
   * Reads and writes several documents: all writes of `work` become part of one durable commit, or
   * none. All reads are of one version. If another write changes a document that `work` has read,
   * `work` runs again. If `work` throws, nothing is written. `work` may be asynchronous. It must
   * not have other effects, because it may run more than once. Returns what `work` returned last.
   * @throws FixpointError as {@link put}, CONFLICT if other writes were faster 100 times, and any
   * error that `work` throws
   */
  transact<R>(work: (transaction: Transaction) => Promise<R> | R): Promise<R>;
  /**
   * Returns documents sorted by id.
   * @throws FixpointError QUERY_INVALID, KEY_INVALID, DOC_ID_REQUIRED for `key` and `keys`;
   * MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  allDocs<T extends object = Doc>(options?: AllDocsOptions): Promise<AllDocs<T>>;
  /**
   * Returns the rows of an index, defined by a field name, a map function, or the source text of a
   * map function. The first query builds the index; later queries update it with the documents that
   * changed.
   *
   * - A field name: the index has one row for each document whose field is neither null nor
   *   undefined. The key is the field's value, and the row's value is null.
   * - A function: the engine calls the function with each document. The function calls `emit(key,
   *   value)` any number of times, or returns one key, whose value is null. An undefined key is
   *   ignored. A falsy value (0, '', false) is stored as null; parts of a value that JSON omits are
   *   omitted. The function must depend only on the document. If the function throws for a
   *   document, queries fail until it no longer throws. A function that uses only its arguments is
   *   identified by its source text: the index is stored, and reused when the database is opened
   *   again. A function that captures outer variables is identified by object identity: the index
   *   stays in memory as long as the function object.
   * - `{source}`: the source text of such a function. The text runs in the sandbox that the
   *   database was opened with.
   *
   * Deleted documents have no rows. The result reflects one version, which includes every write
   * that was acknowledged before the call.
   * @throws FixpointError MAP_FAILED when the function throws, with the message of that error, and
   * for `{source}` without a sandbox; QUERY_INVALID, MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  query<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: QueryOptions,
  ): Promise<QueryResult<T>>;
  /**
   * Returns the documents that changed since `since`, the `clock` of an earlier result. Each
   * document is returned once, and the oldest change is first. With `limit`, returns only the
   * newest N.
   * @throws FixpointError HEAD_INVALID, QUERY_INVALID; MISSING_BLOCK when this database doesn't
   * have the head, or compaction dropped it; MISSING_CARS, CORRUPT
   */
  changes<T extends object = Doc>(since?: Head, options?: { limit?: number }): Promise<Changes<T>>;
  /**
   * Calls `listener` after each change, local or remote. With `updates`, the listener receives the
   * changed documents, deleted ones as `{_id, _deleted: true}`; otherwise an empty list. Returns a
   * function that unsubscribes. The error of a listener that throws or rejects is reported, and
   * other listeners still run.
   * @throws FixpointError REQUEST_INVALID when `listener` isn't a function
   */
  subscribe(listener: (docs: readonly Stored[]) => void, updates?: boolean): () => void;
  /**
   * Starts syncing with a ledger, in both directions. Existing local data is merged, never
   * replaced. Doesn't wait for the network: if a ledger is unreachable or rejects the connection,
   * the status shows the reason. From the first attachment on, compaction drops no events of the
   * history.
   * @throws FixpointError REQUEST_INVALID when the remote has no address; STORE_LOCKED when older
   * history was dropped and another process has the database open; CORRUPT, FORMAT_NEWER when the
   * stored state of the ledger can't be read; STORE_FULL, STORE_FAILED
   */
  attach(remote: Remote): Promise<Attached>;
  /**
   * Merges concurrent versions of documents whose ids start with `prefix`, now and whenever devices
   * exchange such versions. Collections call this for their option `merge`. The rule applies until
   * the database is closed, to all of its handles, and replaces an earlier rule of this prefix. A
   * rule of a page ends with the page. If several prefixes match, the longest one applies.
   *
   * - `fields`: the result has the changes of all versions since the last version before them. If
   *   several versions changed the same field, one of them wins, the same on all devices. A field
   *   is a whole value, also if it is an object or an array.
   * - A function: see `MergeRule`. An error that it throws is reported.
   *
   * An edit wins over a deletion. Merging runs in the background. The first rule reads all events
   * of the history once. Devices that may only read a ledger don't merge.
   * @throws FixpointError REQUEST_INVALID for anything but a text and a rule
   */
  mergeWith(prefix: string, rule: 'fields' | MergeRule): Promise<void>;
  /**
   * Drops data that neither the current version nor the kept history needs, merges small archives
   * into larger ones, and removes files that no document has referenced for an hour. Reads and
   * writes continue during a compaction. Compaction also runs automatically. If another process may
   * have the database open, nothing is dropped.
   * @throws FixpointError STORE_FULL, STORE_FAILED; MISSING_BLOCK, MISSING_CARS, CORRUPT when
   * something cannot be read: then nothing is dropped
   */
  compact(): Promise<void>;
  /**
   * Encrypts new local data with a new random key. Data encrypted with older keys stays readable.
   * With `rewrite`, existing data is also encrypted with the new key. Keys older than the last
   * rotation then open no data, and are deleted unless a ledger may still need them.
   * @throws FixpointError KEY_UPSERT when the new key could not be saved: the old key stays in use
   */
  rotateKey(options?: { rewrite?: boolean }): Promise<RotatedKey>;
  /**
   * Protects the keys on this device with this passphrase; `undefined` removes the passphrase. Node
   * only.
   * @throws FixpointError NOT_IMPLEMENTED in a browser, where a device key protects the keys;
   * CONFIG_INVALID for an invalid passphrase; KEY_UPSERT
   */
  changePassphrase(passphrase: string | undefined): Promise<void>;
  /**
   * Closes this handle. The database closes with its last handle. Has no effect if the handle is
   * already closed or the database was destroyed.
   */
  close(): Promise<void>;
  /**
   * Closes all handles of the database, here and in other tabs and processes. Removes everything
   * that the database stored on this device, except its key. In Node, a handle that wasn't used yet
   * stays open, and its first use creates an empty database.
   * @throws FixpointError STORE_FAILED
   */
  destroy(): Promise<void>;
  /**
   * Calls `fn` once when the database closes. `fn` receives no reason after `close` or `destroy` in
   * this tab or process, or after `destroy` in another one. It receives STORE_LOST when the browser
   * or the user removed this site's data while the database was open, and STORE_UNREADABLE when
   * another tab moved the database to OPFS; every later call then rejects with the same error.
   * In Node, a handle that was never used doesn't call `fn`. Returns a function that unsubscribes.
   * @throws FixpointError REQUEST_INVALID when `fn` isn't a function
   */
  onClosed(fn: (reason?: FixpointError) => void): () => void;
}

/**
 * Options for opening a database. Handles of one name share one database and the options of the
 * first handle, in Node of the first one that is used. But each handle has its own `sandbox`, and
 * may declare more `indexes`. An unknown option is rejected with CONFIG_INVALID.
 */
export interface DatabaseOptions {
  /**
   * `strict` (default): a write resolves once it is on disk. `relaxed`: once the operating system
   * has it.
   */
  readonly durability?: Durability;
  /** Runs the source text of map functions; without a sandbox, `query({source})` is rejected. */
  readonly sandbox?: Sandbox;
  /**
   * Folder of the databases. Node only: browsers ignore it. Default: the variable FIXPOINT_DIR, or
   * else `.fixpoint/databases` in the working directory. With `store`, the folder contains only the
   * keys. Under Vitest, Jest, jsdom and Happy DOM, databases without a folder are in memory, so
   * that tests leave nothing behind.
   */
  readonly directory?: string | undefined;
  /**
   * Protects the keys on this device. Node only; default: the variable FIXPOINT_PASSPHRASE. The
   * first open with a passphrase encrypts keys that are stored as plaintext. From then on, every
   * call without this passphrase fails with KEY_BAG_LOCKED.
   */
  readonly passphrase?: string | undefined;
  /**
   * Whether data on this device is encrypted. Default: true, or false for a database in memory.
   * Data sent to a ledger is always encrypted. A database keeps the mode that it was created with.
   * If it is opened in the other mode, every call fails with MODE_MISMATCH.
   */
  readonly encrypted?: boolean;
  /**
   * `memory`: keeps the database in memory and never writes to this device. The database exists
   * until it is destroyed, or the page or process ends.
   */
  readonly storage?: 'memory' | undefined;
  /**
   * Where the database is stored: `sqliteStore(driver)` of `fixpoint/sqlite`, or a store of your
   * own (`ownStore` of `fixpoint/store`). In browsers also `opfsStore()` of `fixpoint/opfs`, which
   * leaves an existing database where it is. Default: IndexedDB in browsers, files in Node. A
   * database in another store can only be opened with this option.
   */
  readonly store?: StoreChoice | undefined;
  /**
   * How much of the past stays readable after compaction: the newest N commits, or all. Defaults to
   * the newest 1,000, as long as they need at most 400 kB and at most a quarter of the space of the
   * current version. Data that a sync needs is always kept.
   */
  readonly history?: HistoryOption;
  /**
   * Where to look for a database of `@fireproof/core` and its keys; `false` disables the import.
   * When this database is opened and still empty, the existing database is imported and stays
   * unchanged. If the existing database can't be read, every call fails with the reason.
   */
  readonly existing?: ExistingPlace | false;
  /**
   * Maximum number of opened archives in memory; default 1,000. All of them together use at most 32
   * MB. The last two archives are always kept.
   */
  readonly archivesKept?: number | undefined;
  /**
   * Indexes to keep current: each is a field, or several fields in the order by which the index
   * sorts. A field is a path: `city`, `address.city` for a nested field, or `tags[]` for the
   * entries of an array. `{ text: [fields] }` is a full-text index, which the option `search` of
   * `find` needs. `find` uses the indexes, and `query` with the name of a field. They are stored
   * on this device, and updated in the background after each commit. A new index is built in the
   * background, and until then `find` reads documents instead, but a search waits. Handles of one
   * database share their indexes. An invalid declaration fails every call with CONFIG_INVALID. At
   * most 40 indexes of at most 8 fields. `stored`: the indexes that applications declared in this
   * database earlier, for tools that open the databases of other applications.
   */
  readonly indexes?: readonly IndexDeclaration[] | 'stored' | undefined;
  /**
   * Whether the history has one event for each write; default false. By default, a small write is
   * durable as soon as it is stored in a log, which takes between a quarter and half of the time of
   * a commit. One commit then contains all small writes of up to 100 ms, so the history lacks
   * versions of a document that was written several times within that time.
   */
  readonly commitEachWrite?: boolean | undefined;
  /**
   * Whether each event of the history says when it was written, and on which device; default true.
   * Everybody who can read the database can read this. With `false`, the events that this device
   * writes don't say it.
   */
  readonly stamps?: boolean | undefined;
  /**
   * Whether this device signs each event that it writes; default false. Then others notice if
   * somebody changed what the event says: its documents, its time, its device and the events before
   * it. It adds 81 bytes to an event, and needs WebCrypto, which pages without HTTPS lack.
   */
  readonly signed?: boolean | undefined;
}
