/** The interface of a database whose documents have a type that only the compiler checks. */
import type { Database, Transaction } from '../database/database.ts';
import type {
  AllDocs,
  AllDocsOptions,
  BulkOptions,
  BulkWritten,
  Changes,
  Emit,
  Explanation,
  Fields,
  FindResult,
  QueryOptions,
  QueryResult,
  References,
  Stored,
  TypedMap,
  Written,
} from '../database/database-results.ts';
import type {
  ConflictEvents,
  ConflictingDocument,
  ConflictList,
  ConflictsOptions,
  DocumentConflicts,
  PartialOptions,
} from '../database/past/conflicts-interface.ts';
import type { DocumentVersion, HistoryOptions } from '../database/past/history.ts';
import type { DatabaseView, DocumentChange } from '../database/past/time-travel.ts';
import type {
  CollectionFindOptions,
  CollectionGroup,
  CollectionGroupOptions,
  NewDocument,
  WithoutOthers,
} from './collection-types.ts';
import type { SortPathOf, TypedWhere } from './typed-where.ts';

declare const DOCUMENT: unique symbol;

/** The names of the fields of a type, or of all types of a union. */
type NameOf<T> = T extends unknown ? keyof T & string : never;

/** A field or map function that `query` accepts for documents of type `T`. */
export type MapOf<T extends object> =
  | NameOf<Stored<T>>
  | ((doc: Stored<T>, emit: Emit) => unknown)
  | TypedMap;

/** See `FindOptions`. Unknown fields, wrong values and wrong operators are type errors. */
export interface TypedFindOptions<T extends object> extends CollectionFindOptions<T> {
  /** See `FindOptions.search`. */
  readonly search?: string | undefined;
  /** See `FindOptions.with`. */
  readonly with?: References | undefined;
}

/** A document that was deleted, as `subscribe` reports it. */
export interface DeletedDocument {
  readonly _id: string;
  readonly _deleted: true;
}

/** See `Transaction`. */
export interface TransactionOf<T extends object> extends Omit<Transaction, 'get' | 'put'> {
  /** See `Transaction.get`. */
  get<U extends object = T>(id: string): Promise<Stored<U>>;
  /** See `Transaction.put`. */
  put(doc: NewDocument<T>): Written;
}

/** See `DatabaseView`. */
export interface DatabaseViewOf<T extends object> extends Omit<DatabaseView, 'get' | 'allDocs' | 'query'> {
  /** See `DatabaseView.get`. */
  get<U extends object = T>(id: string): Promise<Stored<U>>;
  /** See `DatabaseView.allDocs`. */
  allDocs<U extends object = T>(options?: AllDocsOptions): Promise<AllDocs<U>>;
  /** See `DatabaseView.query`. */
  query<U extends object = T>(map: MapOf<T>, options?: QueryOptions): Promise<QueryResult<U>>;
}

/** A {@link Database} that isn't a {@link DatabaseOf}. */
export type UntypedDatabase = Database & { readonly [DOCUMENT]?: never };

type TypedCalls =
  | ('put' | 'get' | 'bulk' | 'update' | 'transact' | 'allDocs' | 'query' | 'changes' | 'subscribe')
  | ('find' | 'count' | 'groupBy' | 'explain' | 'at' | 'diff' | 'history' | 'conflicts');

/**
 * A {@link Database} whose documents have the type `T`, which may be a union. Only the compiler
 * checks the type: documents that other applications wrote may have others. All calls do the same
 * as those of a `Database`, and the handle can be used wherever one is expected. To read one type
 * of a union, pass it: `db.get<List>(id)`.
 */
export interface DatabaseOf<T extends object> extends Omit<Database, TypedCalls> {
  /** Exists only in types, and distinguishes this interface from `Database`. */
  readonly [DOCUMENT]: T;
  /** See `Database.put`. */
  put(doc: NewDocument<T>): Promise<Written>;
  /** See `Database.get`. */
  get<U extends object = T>(id: string): Promise<Stored<U>>;
  /** See `Database.bulk`. */
  bulk(docs: readonly NewDocument<T>[], options?: BulkOptions): Promise<BulkWritten>;
  /** See `Database.update`. */
  update<U extends object = T, R extends NewDocument<U> | undefined = NewDocument<U> | undefined>(
    id: string,
    change: (doc: Stored<U> | undefined) => R & WithoutOthers<R, NewDocument<U>>,
  ): Promise<Written>;
  /** See `Database.transact`. */
  transact<R>(work: (transaction: TransactionOf<T>) => Promise<R> | R): Promise<R>;
  /** See `Database.allDocs`. */
  allDocs<U extends object = T>(options?: AllDocsOptions): Promise<AllDocs<U>>;
  /** See `Database.query`. */
  query<U extends object = T>(map: MapOf<T>, options?: QueryOptions): Promise<QueryResult<U>>;
  /** See `Database.changes`. */
  changes<U extends object = T>(since?: Changes['clock'], options?: { limit?: number }): Promise<Changes<U>>;
  /** See `Database.subscribe`. */
  subscribe(
    listener: (docs: readonly (Stored<T> | DeletedDocument)[]) => void,
    updates?: boolean,
  ): () => void;
  // Without this signature, the handle couldn't be used as a `Database`.
  subscribe(listener: (docs: readonly Stored[]) => void, updates?: boolean): () => void;
  /** See `Finding.find`. */
  find<U extends object = T>(options?: TypedFindOptions<T>): Promise<FindResult<U>>;
  /** See `Finding.count`. */
  count(where?: TypedWhere<T>): Promise<number>;
  /** See `Finding.groupBy`. */
  groupBy<By extends SortPathOf<T>, V extends SortPathOf<T>>(
    fields: Fields<By>,
    options?: CollectionGroupOptions<T, V>,
  ): Promise<readonly CollectionGroup<T, By, V>[]>;
  /** See `Finding.explain`. */
  explain(options?: TypedFindOptions<T>): Promise<Explanation>;
  /** See `TimeTravel.at`. */
  at(head: readonly string[]): DatabaseViewOf<T>;
  /** See `TimeTravel.diff`. */
  diff<U extends object = T>(
    before: readonly string[],
    after: readonly string[],
  ): Promise<readonly DocumentChange<U>[]>;
  /** See `History.history`. */
  history<U extends object = T>(id: string, options?: HistoryOptions): Promise<readonly DocumentVersion<U>[]>;
  /** See `Conflicts.conflicts`. */
  conflicts<U extends object = T>(): Promise<readonly ConflictingDocument<U>[]>;
  /** See `Conflicts.conflicts`. */
  conflicts<U extends object = T>(options: PartialOptions): Promise<ConflictList<U>>;
  /** See `Conflicts.conflicts`. */
  conflicts(ids: readonly string[], options?: ConflictsOptions): Promise<readonly ConflictEvents[]>;
  /** See `Conflicts.conflicts`. */
  conflicts<U extends object = T>(id: string): Promise<DocumentConflicts<U> | undefined>;
}
