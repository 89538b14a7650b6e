export type { Doc } from './documents/encode.ts';
export {
  type FireproofCloudOptions,
  SimpleTokenStrategy,
  type TokenStrategy,
  toCloud,
} from './fireproof/cloud.ts';
export {
  type ClockHead,
  type FireproofAttached,
  type FireproofDatabase as Database,
  isDatabase,
  isNotFoundError,
  NotFoundError,
  type StoreUrls,
} from './fireproof/database.ts';
