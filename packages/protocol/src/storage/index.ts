export {
  type AnswerOf,
  answers,
  type Conn,
  type Gestalt,
  type MetaEntry,
  type Metas,
  type RequestOf,
  requests,
  STORE_TYPES,
  type StorageAnswer,
  type StorageRequest,
  type StoreType,
  serverGestalt,
} from './messages.ts';
export { gatewayUrl, isStoreType, parseStorageUrl, type StorageUrl, socketUrl } from './storage-url.ts';
