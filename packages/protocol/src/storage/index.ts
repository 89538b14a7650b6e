export { type Conn, STORE_TYPES, type StoreType } from './envelope.ts';
export { errorMessage, INTERNAL_TID } from './error.ts';
export { CAPABILITIES, type Endpoints, type Gestalt, serverGestalt } from './gestalt.ts';
export {
  type AnswerOf,
  REFUSED_REQUESTS,
  type RequestOf,
  readAnswer,
  readRequest,
  requestMessage,
  requestTypes,
  type StorageAnswer,
  type StorageRequest,
} from './messages.ts';
export { LEDGER_KINDS, type LedgerKind, type MetaEntry, type Metas } from './metas.ts';
export {
  buildStorageUrl,
  gatewayUrl,
  isStoreType,
  parseStorageUrl,
  type StorageUrl,
  socketUrl,
} from './storage-url.ts';
