/** The types that `@fireproof/core` 0.24 exports and applications use, so that they compile. */

/** A head that an application passes back, as texts or as links that convert to text. */
export type ClockHead = readonly (string | { toString(): string })[];

/** Any value but null and undefined. */
export type DocObject = NonNullable<unknown>;
/** The type of a document. */
export type DocTypes = DocObject;
/** Any value that a document may contain, or a map function may emit. */
export type DocFragment = Uint8Array | string | number | boolean | null | DocFragment[] | object;
/** A hash of content, which converts to text. */
export interface AnyLink {
  /** Returns the hash as text. */
  toString(): string;
}
/** The entry of an attached file. A document that was read has the functions, too. */
export interface DocFileMeta {
  readonly type: string;
  readonly size: number;
  readonly cid: AnyLink;
  readonly car?: AnyLink;
  readonly lastModified?: number;
  /** Returns the whole file. */
  file?(): Promise<File>;
}
/** Attached files by name. */
export type DocFiles = Record<string, DocFileMeta | File>;
/** The fields of a document that aren't the application's. */
export interface DocBase {
  readonly _id: string;
  readonly _files?: DocFiles;
  readonly _publicFiles?: DocFiles;
  readonly _deleted?: boolean;
}
/** A document that was read. */
export type DocWithId<T extends DocTypes> = DocBase & T;
/** A document to write. */
export type DocSet<T extends DocTypes> = Partial<DocBase> & T;

/** Result of a write. */
export interface DocResponse {
  readonly id: string;
  readonly clock: ClockHead;
  readonly name?: string;
}
/** Result of a bulk write. */
export interface BulkResponse {
  readonly ids: readonly string[];
  readonly clock: ClockHead;
  readonly name?: string;
}

/** A simple key. */
export type KeyLiteral = string | number | boolean;
/** The key of a row. */
export type IndexKeyType = KeyLiteral | KeyLiteral[];
/** A row of a query. */
export interface FPIndexRow<K extends IndexKeyType, T extends DocObject, R extends DocFragment> {
  readonly id: string;
  readonly key: K;
  readonly value: R;
  readonly doc?: DocWithId<T>;
}
/** Rows of a query with `includeDocs: false`. */
export interface IndexRowsWithoutDocs<
  T extends DocObject,
  K extends IndexKeyType = string,
  R extends DocFragment = T,
> {
  readonly rows: FPIndexRow<K, T, R>[];
}
/** Rows of a query, and their documents. */
export interface IndexRowsWithDocs<
  T extends DocObject,
  K extends IndexKeyType = string,
  R extends DocFragment = T,
> extends IndexRowsWithoutDocs<T, K, R> {
  readonly docs: DocWithId<T>[];
}
/** Rows of a query, with or without documents. */
export type IndexRows<T extends DocObject, K extends IndexKeyType = string, R extends DocFragment = T> =
  | IndexRowsWithoutDocs<T, K, R>
  | IndexRowsWithDocs<T, K, R>;
/** Options of a query, all of which may be missing. */
export interface QueryOpts<K extends IndexKeyType> {
  readonly descending: boolean;
  readonly limit: number;
  readonly includeDocs: boolean;
  readonly range: [IndexKeyType, IndexKeyType];
  readonly key: DocFragment | K;
  readonly keys: DocFragment[];
  readonly prefix: IndexKeyType;
}
/** Rows, and their documents unless `includeDocs` is false. */
export type QueryResult<
  T extends DocTypes,
  K extends IndexKeyType = string,
  R extends DocFragment = T,
  O extends Partial<QueryOpts<K>> = Partial<QueryOpts<K>>,
> = O extends { includeDocs: false } ? IndexRowsWithoutDocs<T, K, R> : IndexRowsWithDocs<T, K, R>;
/** Emits keys and values for a document. A result that isn't undefined is emitted as a key. */
export type MapFn<T extends DocTypes> = (
  doc: DocWithId<T>,
  emit: (key: IndexKeyType, value?: DocFragment) => void,
) => DocFragment | unknown;

/** Options of `allDocs`, all of which may be missing. */
export interface AllDocsQueryOpts extends Omit<QueryOpts<string>, 'includeDocs' | 'range'> {
  readonly key: string;
  readonly keys: string[];
  readonly prefix: string;
  readonly range: [string, string];
  readonly includeDeleted: boolean;
}
/** Documents, and the head at which they were read. */
export interface AllDocsResponse<T extends DocTypes> {
  readonly rows: { readonly key: string; readonly value: DocWithId<T> }[];
  readonly clock: ClockHead;
  readonly name?: string;
}
/** Options of `changes`. */
export interface ChangesOptions {
  /** Has no effect. */
  readonly dirty?: boolean;
  /** Returns only the newest N changes. */
  readonly limit?: number;
}
/** A changed document, with the event that last wrote it. */
export interface ChangesResponseRow<T extends DocTypes> {
  readonly key: string;
  readonly value: DocWithId<T>;
  readonly clock?: string;
}
/** Changed documents, and the head up to which they are listed. */
export interface ChangesResponse<T extends DocTypes> {
  readonly clock: ClockHead;
  readonly rows: ChangesResponseRow<T>[];
  readonly name?: string;
}

/** A listener that receives changed documents. */
export type UpdateListenerFn<T extends DocTypes> = (docs: DocWithId<T>[]) => Promise<void> | void;
/** A listener that only learns of a change. */
export type NoUpdateListenerFn = () => Promise<void> | void;
/** A listener of `subscribe`. */
export type ListenerFn<T extends DocTypes> = UpdateListenerFn<T> | NoUpdateListenerFn;
/** Ends a subscription. */
export type UnReg = () => void;
