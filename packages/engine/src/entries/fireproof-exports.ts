export type { Doc } from '../documents/encode.ts';
export type { Exported } from '../existing/export-existing.ts';
export type { Imported } from '../existing/import-existing.ts';
export {
  type FireproofCloudOptions,
  SimpleTokenStrategy,
  type TokenStrategy,
  toCloud,
} from '../fireproof/cloud.ts';
export {
  type FireproofAttached,
  type FireproofAttached as Attached,
  type FireproofDatabase as Database,
  isDatabase,
  isNotFoundError,
  NotFoundError,
  type WrittenTo,
} from '../fireproof/database.ts';
export {
  type ExportOptions,
  exportDatabase,
  type ImportOptions,
  importDatabase,
} from '../fireproof/existing.ts';
export type {
  AllDocsQueryOpts,
  AllDocsResponse,
  AnyLink,
  BulkResponse,
  ChangesOptions,
  ChangesResponse,
  ChangesResponseRow,
  ClockHead,
  DocBase,
  DocFileMeta,
  DocFiles,
  DocFragment,
  DocObject,
  DocResponse,
  DocSet,
  DocTypes,
  DocWithId,
  FPIndexRow,
  IndexKeyType,
  IndexRows,
  IndexRowsWithDocs,
  IndexRowsWithoutDocs,
  KeyLiteral,
  ListenerFn,
  MapFn,
  NoUpdateListenerFn,
  QueryOpts,
  QueryResult,
  UnReg,
  UpdateListenerFn,
} from '../fireproof/existing-types.ts';
export { type Index, index } from '../fireproof/named-index.ts';
export type { FireproofOptions, FireproofOptions as ConfigOpts } from '../fireproof/options.ts';
export type { StoreUrls } from '../fireproof/store-urls.ts';
