export type { WithheldEntry } from './bind-get-meta.ts';
export { type Conn, STORE_TYPES, type StoreType } from './envelope.ts';
export { errorMessage, INTERNAL_TID } from './error.ts';
export { CAPABILITIES, type Endpoints, type Gestalt, serverGestalt } from './handshake.ts';
export {
  LEDGER_KINDS,
  type LedgerDeviceEntry,
  type LedgerKind,
  type MetaEntry,
  type Metas,
  type ReceivedEntry,
} from './metas.ts';
export { isP256Point } from './p256-point.ts';
export {
  type ChainRecord,
  type DeviceRecord,
  type GrantRecord,
  type KeyRecord,
  parseKeyRecord,
  RECORD_CHARS_MAX,
  type RotateRecord,
} from './parse-key-record.ts';
export { type RecordField, recordFields, recordText } from './record-fields.ts';
export {
  type AnswerOf,
  checkRequest,
  REFUSED_REQUESTS,
  type RequestOf,
  readAnswer,
  readRequest,
  requestMessage,
  requestTypes,
  type StorageAnswer,
  type StorageRequest,
} from './storage-messages.ts';
export {
  buildStorageUrl,
  gatewayUrl,
  isStoreType,
  parseStorageUrl,
  type StorageUrl,
  socketUrl,
} from './storage-url.ts';
