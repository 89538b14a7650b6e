/** Options and results of the calls of a database. */
import type { Head } from '../clock/event.ts';
import type { Doc } from '../documents/encode.ts';
import type { FindOptions } from '../find/find-options.ts';
import type { Fields, Group, GroupOptions } from '../find/groups.ts';
import type { Reference, References } from '../find/references.ts';
import type { Where } from '../find/where.ts';
import type { IndexDeclaration } from '../index/declared.ts';
import type { Emit, MapFunction, QueryOptions } from '../index/define.ts';

export type {
  Emit,
  Fields,
  FindOptions,
  Group,
  GroupOptions,
  IndexDeclaration,
  MapFunction,
  QueryOptions,
  Reference,
  References,
  Where,
};

/** A stored document: its fields and its id. */
export type Stored<T extends object = Doc> = T & { _id: string };

/** Result of a write, once it is durable. */
export interface Written {
  readonly id: string;
}

/**
 * The reads and writes of the function that was passed to `Database.transact`. The transaction ends
 * when the promise of that function settles.
 */
export interface Transaction {
  /**
   * Returns the document with this id, as written by this transaction, or else as of its start.
   * @throws FixpointError NOT_FOUND, also for a deleted document; REQUEST_INVALID after the end
   */
  get<T extends object = Doc>(id: string): Promise<Stored<T>>;
  /**
   * Writes a document when the transaction is committed. If it is stored already and has a
   * conflict, the write keeps this version and ends the conflict. In the page of an engine in a
   * worker, a document that can't be stored makes the transaction reject instead.
   * @throws FixpointError as `Database.put`; REQUEST_INVALID after the end
   */
  put(doc: object): Written;
  /** Deletes a document when the transaction is committed. @throws FixpointError as {@link put} */
  del(id: string): Written;
}

/**
 * Merges two concurrent versions of a document, and returns the merged document. Must depend only
 * on its arguments, and return the same on each device. It may be called more than once.
 *
 * - `base` is the last version before both, or undefined if there is none.
 * - If several devices wrote, it is called again with the result as `ours` and the next version.
 * - If it returns undefined, one of the versions stays current, and `conflicts` lists the others.
 * - The same happens, and the error is reported, if it throws, returns anything but a plain object,
 *   or takes more than 10 seconds.
 * - `update` and `transact` reject with REQUEST_INVALID in it: they would wait for its result.
 *   After an `await`, the engine can't tell who calls them: they wait until the rule takes too
 *   long.
 */
export type MergeRule = (
  base: Stored | undefined,
  ours: Stored,
  theirs: Stored,
) => object | undefined | Promise<object | undefined>;

/** Further effects of a bulk write. */
export interface BulkOptions {
  /** Ids of documents to delete in the same commit; ids that don't exist are ignored. */
  readonly del?: readonly string[] | undefined;
  /**
   * Whether documents with a conflict stay as they are, because the write would end the conflict.
   * The check is part of the commit. The first one reads the events of the whole history.
   */
  readonly keepConflicts?: boolean | undefined;
}

/**
 * Like {@link Written}, for many documents; `ids` lists the documents in order, then the deleted
 * ids.
 */
export interface BulkWritten {
  readonly ids: readonly string[];
  /** With `keepConflicts`, the ids that weren't written, because they have a conflict. */
  readonly kept?: readonly string[];
}

/** Result of a key rotation. */
export interface RotatedKey {
  /** Id of the key that encrypts new data: the hash of the key, in base58btc. */
  readonly keyId: string;
}

/**
 * Selects documents. `key` takes precedence over `keys`, and `keys` over `prefix` and `range`. With
 * both `prefix` and `range`, a document must match both.
 */
export interface AllDocsOptions {
  /** Maximum number of rows. */
  readonly limit?: number;
  /** Sorts by id in descending order. */
  readonly descending?: boolean;
  /** Selects the document with this id. */
  readonly key?: string;
  /** Selects the documents with these ids, in this order; ids that don't exist have no row. */
  readonly keys?: readonly string[];
  /** Selects ids with this prefix. */
  readonly prefix?: string;
  /** First and last id, both inclusive, in the order of UTF-16 code units. */
  readonly range?: readonly [string, string];
  /** Includes deleted documents, as `{_id, _deleted: true}`. */
  readonly includeDeleted?: boolean;
}

/** A document with its id as `key`. */
export interface DocRow<T extends object = Doc> {
  readonly key: string;
  readonly value: Stored<T>;
}

/** Documents of one version of the database, whose head is `clock`. */
export interface AllDocs<T extends object = Doc> {
  readonly rows: readonly DocRow<T>[];
  readonly clock: Head;
  readonly name: string;
}

/** A changed document; a deleted one is `{_id, _deleted: true}`. */
export interface ChangeRow<T extends object = Doc> extends DocRow<T> {
  /** The event that last wrote the document. */
  readonly clock: string;
}

/** Changes up to `clock`; pass it as `since` in the next call. */
export interface Changes<T extends object = Doc> {
  readonly rows: readonly ChangeRow<T>[];
  readonly clock: Head;
  readonly name: string;
}

/** One row of an index: the key and value that the map function emitted, and their document. */
export interface QueryRow<T extends object = Doc> {
  readonly key: unknown;
  readonly id: string;
  readonly value: unknown;
  /** The document; absent with `includeDocs: false`. */
  readonly doc?: Stored<T>;
}

/** Rows sorted by key, then by id. */
export interface QueryResult<T extends object = Doc> {
  readonly rows: readonly QueryRow<T>[];
  /** The documents of the rows; absent with `includeDocs: false`. */
  readonly docs?: readonly Stored<T>[];
}

/**
 * Source text of a map function, which a person typed or a third party supplied. The text runs in
 * the sandbox.
 */
export interface TypedMap {
  readonly source: string;
}

/** Documents that {@link Finding.find} found, in order. */
export interface FindResult<T extends object = Doc> {
  readonly docs: readonly Stored<T>[];
  /** The place after the last document, for `after`; absent if no more documents match. */
  readonly next?: string;
  /**
   * The documents that the documents refer to, each of them once, sorted by id; absent without
   * `with`. Ids without a document are left out.
   */
  readonly refs?: readonly Stored[];
}

/** How a search runs. */
export interface Explanation {
  /** The indexes that the search uses, each as its fields. */
  readonly indexes: readonly (readonly string[])[];
  /**
   * Which documents the search reads. `matches`: only those that match. `candidates`: those that
   * the indexes find, to check the other conditions. `ids`: those with the wanted ids. `all`: all.
   */
  readonly reads: 'matches' | 'candidates' | 'ids' | 'all';
  /** Whether the search finds all matching documents before it sorts them. */
  readonly sorts: boolean;
  /** Declared indexes that can't be used yet, because they are being built for the first time. */
  readonly building: readonly (readonly string[])[];
  /** All indexes that are declared for this database, whether the search uses them or not. */
  readonly declared: readonly KnownIndex[];
}

/** An index that is declared for a database: see the option `indexes`. */
export interface KnownIndex {
  /** Whether the index answers conditions and orders, or finds words. */
  readonly kind: 'fields' | 'text';
  readonly fields: readonly string[];
  /** The text with which the ids of the documents start; empty for all documents. */
  readonly prefix: string;
  /** Whether the index is built. */
  readonly isReady: boolean;
}

/** Finds documents by conditions. */
export interface Finding {
  /**
   * Returns the documents that match. Uses the declared indexes: see the option `indexes` of the
   * database. Without a suitable index, reads all documents. The result reflects one version, which
   * includes every write that was acknowledged before the call.
   * @throws FixpointError QUERY_INVALID, MISSING_BLOCK, MISSING_CARS, CORRUPT
   */
  find<T extends object = Doc>(options?: FindOptions): Promise<FindResult<T>>;
  /**
   * Returns the number of documents that match.
   * @throws FixpointError as {@link find}
   */
  count(where?: Where): Promise<number>;
  /**
   * Groups the documents that match by the values of fields, in the order of these values. Counts
   * each group and, if wanted, aggregates other fields of its documents. With `[]` as fields,
   * returns one group of all matching documents. Reads no documents if an index has all fields that
   * the call names.
   * @throws FixpointError as {@link find}
   */
  groupBy(fields: Fields, options?: GroupOptions): Promise<readonly Group[]>;
  /**
   * Returns how `find` would run with these options now.
   * @throws FixpointError QUERY_INVALID
   */
  explain(options?: FindOptions): Promise<Explanation>;
}
