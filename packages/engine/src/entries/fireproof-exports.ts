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
  type ClockHead,
  type FireproofAttached,
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
export type { FireproofOptions } from '../fireproof/options.ts';
export type { StoreUrls } from '../fireproof/store-urls.ts';
