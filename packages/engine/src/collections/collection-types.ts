/** The interface of a collection. */
import type { Database, DatabaseOptions, Transaction } from '../database/database.ts';
import type {
  BulkOptions,
  BulkWritten,
  Explanation,
  Fields,
  IndexDeclaration,
  Written,
} from '../database/database-results.ts';
import type { StoredFile } from '../files/read-file.ts';
import type { InvalidDocument } from './stored-form.ts';
import type { SortPathOf, TypedSort, TypedWhere, ValueAt } from './typed-where.ts';

/** A document of a collection as it is written: an id is created if there is none. */
export type NewDocument<In extends object> = In & {
  readonly _id?: string | undefined;
  /** Attached files by name: see `FileInput`. */
  readonly _files?: object | undefined;
};

/** A document of a collection as it is read. */
export type ReadDocument<T extends object> = T & {
  _id: string;
  /** Attached files by name. */
  _files?: Readonly<Record<string, StoredFile>>;
};

/** The names of the fields of a type, or of all types of a union. */
type FieldOf<T> = T extends unknown ? keyof T : never;

/** Forbids fields that `Known` lacks. The compiler doesn't check them in results of functions. */
export type WithoutOthers<R, Known> = R extends object
  ? { readonly [K in Exclude<keyof R, FieldOf<Known>>]?: never }
  : R;

/** Which documents of a collection are found, in which order. */
export interface CollectionFindOptions<T extends object> {
  /** Without conditions, all documents match. */
  readonly where?: TypedWhere<T> | undefined;
  /** See `FindOptions.sort`. */
  readonly sort?: TypedSort<T> | undefined;
  /** Maximum number of documents. */
  readonly limit?: number | undefined;
  /** Finds only documents after this place: `next` of an earlier answer with the same `sort`. */
  readonly after?: string | undefined;
}

/** The collections to which the fields of a collection refer. */
// biome-ignore lint/suspicious/noExplicitAny: a definition of any types; `object` would reject most.
export type CollectionReferences = Readonly<Record<string, CollectionDefinition<any, any, any>>>;

/** No references. */
export type NoReferences = Readonly<Record<never, never>>;

/** The references that `find` follows: `true`, or the references of the referenced documents. */
export type With<R> = {
  readonly [K in keyof R]?: true | With<ReferencesOf<R[K]>>;
};

/** Forbids fields that aren't references, on each level. */
export type OnlyReferences<W, R> = {
  readonly [K in keyof W]: K extends keyof R
    ? W[K] extends true | undefined
      ? W[K]
      : OnlyReferences<W[K], ReferencesOf<R[K]>>
    : never;
};

type ReferencesOf<D> = D extends CollectionDefinition<infer _In, infer _Out, infer R> ? R : NoReferences;

/** A document with the referenced documents in place of their ids. */
export type WithReferences<T extends object, R, W> = keyof W & keyof R extends never
  ? T
  : T extends unknown
    ? Omit<T, keyof W & keyof R> & {
        readonly [K in keyof W & keyof R & keyof T]: Referenced<T[K], R[K], W[K]>;
      }
    : never;

type Referenced<V, D, W> =
  D extends CollectionDefinition<infer _In, infer Out, infer R>
    ? NonNullable<V> extends readonly unknown[]
      ? readonly (WithReferences<ReadDocument<Out>, R, W> | undefined)[]
      : WithReferences<ReadDocument<Out>, R, W> | undefined
    : never;

/** Documents that a collection found. */
export interface CollectionFound<T extends object> {
  readonly docs: readonly ReadDocument<T>[];
  /** Documents that match, but break the schema. Together with `docs`, at most `limit`. */
  readonly invalid: readonly InvalidDocument[];
  /** The place after the last document, for `after`; absent if no more documents match. */
  readonly next?: string;
}

/** The results that `groupBy` computes for each group of documents. See `GroupOptions`. */
export interface CollectionGroupOptions<T extends object, V extends string> {
  /** Only documents that meet these conditions count. Without conditions, all documents count. */
  readonly where?: TypedWhere<T> | undefined;
  /** Fields whose numbers are added up. */
  readonly sum?: Fields<V> | undefined;
  /** Fields whose numbers are averaged. */
  readonly average?: Fields<V> | undefined;
  /** Fields whose least value is returned. */
  readonly min?: Fields<V> | undefined;
  /** Fields whose greatest value is returned. */
  readonly max?: Fields<V> | undefined;
}

/** Documents of a collection with equal values in the fields `By`. See `Group`. */
export interface CollectionGroup<T extends object, By extends string, V extends string> {
  readonly key: { readonly [P in By]?: ValueAt<T, P> };
  readonly count: number;
  readonly sum: { readonly [P in V]?: number };
  readonly average: { readonly [P in V]?: number };
  readonly min: { readonly [P in V]?: ValueAt<T, P> };
  readonly max: { readonly [P in V]?: ValueAt<T, P> };
}

/** Result of {@link Collection.migrateAll}. */
export interface Migrated {
  /** Number of documents that were written again. */
  readonly migrated: number;
  /** Documents that could not be migrated. */
  readonly invalid: readonly InvalidDocument[];
}

/**
 * Documents of one database with a schema. Ids are those of the collection: documents of different
 * collections may have the same id. Reads migrate documents of older versions of the schema, and
 * don't write them.
 */
export interface Collection<In extends object, Out extends object, R = NoReferences> {
  readonly name: string;
  /** The handle that has the collection. */
  readonly database: Database;
  /**
   * Creates or replaces a document; resolves when the write is durable.
   * @throws FixpointError DOC_INVALID with the path of a field that breaks the schema, and as
   * `Database.put`
   */
  put(doc: NewDocument<In>): Promise<Written>;
  /**
   * Returns the document with this id.
   * @throws FixpointError NOT_FOUND; DOC_INVALID if the stored document breaks the schema, with the
   * {@link InvalidDocument} as `cause`; and as `Database.get`
   */
  get(id: string): Promise<ReadDocument<Out>>;
  /** Deletes a document. Succeeds even if the id doesn't exist. */
  del(id: string): Promise<Written>;
  /** Writes all documents in one durable commit, or none. @throws FixpointError as {@link put} */
  bulk(docs: readonly NewDocument<In>[], options?: BulkOptions): Promise<BulkWritten>;
  /**
   * Changes a document: calls `change` with the current document, or with undefined if there is
   * none, and writes what it returns. No other write of this database comes in between, in any tab.
   * `change` must not be asynchronous, and may be called again. If it returns undefined, nothing is
   * written. See `Database.update`.
   * @throws FixpointError as {@link put} and {@link get}, CONFLICT, and any error that `change`
   * throws
   */
  update<R extends NewDocument<In> | undefined>(
    id: string,
    change: (doc: ReadDocument<Out> | undefined) => R & WithoutOthers<R, NewDocument<In>>,
  ): Promise<Written>;
  /**
   * Finds documents. See `Database.find`. With `with`, the results contain referenced documents in
   * place of their ids: `undefined` for those that don't exist or break their schema. All of them
   * are of the same version of the database.
   * @throws FixpointError QUERY_INVALID, MISSING_BLOCK
   */
  find<const W extends With<R> = NoReferences>(
    options?: CollectionFindOptions<Out> & { readonly with?: (W & OnlyReferences<W, R>) | undefined },
  ): Promise<CollectionFound<WithReferences<Out, R, W>>>;
  /**
   * Finds documents with these words in the fields of the option `search`, the most relevant ones
   * first. See `FindOptions.search`.
   * @throws FixpointError QUERY_INVALID, also without that option
   */
  search(words: string, options?: CollectionFindOptions<Out>): Promise<CollectionFound<Out>>;
  /** Returns the number of documents that match, including those that break the schema. */
  count(where?: TypedWhere<Out>): Promise<number>;
  /**
   * Groups the documents that match by the values of fields, also those that break the schema. See
   * `Database.groupBy`.
   */
  groupBy<By extends SortPathOf<Out>, V extends SortPathOf<Out>>(
    fields: Fields<By>,
    options?: CollectionGroupOptions<Out, V>,
  ): Promise<readonly CollectionGroup<Out, By, V>[]>;
  /** Returns how {@link find} would run with these options now. */
  explain(options?: CollectionFindOptions<Out>): Promise<Explanation>;
  /** Returns all documents that break the schema. Reads all documents. */
  invalid(): Promise<readonly InvalidDocument[]>;
  /** Writes all documents of older versions of the schema again, in the current version. */
  migrateAll(): Promise<Migrated>;
  /**
   * Calls `listener` with the ids of changed documents after each change, local or remote. Returns
   * a function that unsubscribes.
   */
  subscribe(listener: (ids: readonly string[]) => void): () => void;
}

/** The reads and writes of a collection in a transaction. */
export interface CollectionInTransaction<In extends object, Out extends object> {
  /** @throws FixpointError as {@link Collection.get} */
  get(id: string): Promise<ReadDocument<Out>>;
  /**
   * Writes a document when the transaction is committed.
   * @throws FixpointError as {@link Collection.put}
   */
  put(doc: NewDocument<In>): Promise<Written>;
  /** Deletes a document when the transaction is committed. */
  del(id: string): Promise<Written>;
  /** Changes a document when the transaction is committed. See {@link Collection.update}. */
  update: Collection<In, Out>['update'];
}

/** A collection, before a database has it. Pass it to `fixpoint` in the option `collections`. */
export interface CollectionDefinition<
  In extends object = object,
  Out extends object = object,
  R = CollectionReferences,
> {
  readonly name: string;
  /** The option `refs`. */
  readonly refs: R;
  /** Used by `find`: reads a stored document; undefined if it breaks the schema. */
  read(stored: object): Promise<(Out & { _id: string }) | undefined>;
  /** Used by `fixpoint`: the indexes of the collection. */
  readonly indexes: readonly IndexDeclaration[];
  /**
   * Used by `fixpoint`: opens a database with several collections. It is a method of each of them,
   * so that an application without collections doesn't load the code.
   */
  openAll<O extends DatabaseOptions>(open: (options: O) => Database, options: O, all: Collections): Database;
  /** Used by `fixpoint`: returns the collection of a handle. */
  open(database: Database): Collection<In, Out, R>;
  /** Used by `fixpoint`: returns the collection of a transaction. */
  within(
    database: Database,
    transaction: Transaction,
    waits: (work: Promise<unknown>) => void,
  ): CollectionInTransaction<In, Out>;
}

/** Collections by the property of the handle that gives access to them. */
// biome-ignore lint/suspicious/noExplicitAny: a definition of any types; `object` would reject most.
export type Collections = Readonly<Record<string, CollectionDefinition<any, any, any>>>;

/** The collections of a handle. */
export type OpenCollections<C extends Collections> = {
  readonly [K in keyof C]: C[K] extends CollectionDefinition<infer In, infer Out, infer R>
    ? Collection<In, Out, R>
    : never;
};

/** A transaction with collections. */
export type TransactionWith<C extends Collections> = Transaction & {
  readonly [K in keyof C]: C[K] extends CollectionDefinition<infer In, infer Out, infer _R>
    ? CollectionInTransaction<In, Out>
    : never;
};

/** A handle with collections. */
export type DatabaseWith<C extends Collections> = Omit<Database, 'transact'> &
  OpenCollections<C> & {
    /** See `Database.transact`. Waits for all writes that `work` began. */
    transact<R>(work: (transaction: TransactionWith<C>) => Promise<R> | R): Promise<R>;
  };
