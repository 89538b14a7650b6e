export { bytesOfHex } from '../membership/bytes.ts';
export {
  type Admission,
  type CodeEntry,
  type CountRule,
  type EntryId,
  type FormRule,
  includes,
  introducedBy,
  isAdmission,
  type LeaveEntry,
  type LogEntry,
  personNamedBy,
  type RemoveEntry,
  ROLES,
  type Role,
  type Rotation,
  rotationOf,
  type SealingKey,
  type SeatKeys,
  type SeatName,
  type SignedEntry,
  type SigningKey,
} from '../membership/entry.ts';
export { ENTRY_CHARS_MAX, isNameOfEntry, PREV_MAX } from '../membership/entry-fields.ts';
export {
  decodeEntry,
  type EntryFields,
  encodeEntry,
  type Hash,
  isEntryText,
  isGreetingText,
  isLaterForm,
  mayLead,
  type ReadEntry,
} from '../membership/entry-text.ts';
export {
  deletionFault,
  type GatewayRule,
  hasRotationReserve,
  inOrder,
  type LogSize,
  limitFault,
  type Putter,
  type PutterRight,
  putFault,
  rotationFault,
  type StoredLog,
  startsWithOldKey,
} from '../membership/gateway-rules.ts';
export {
  type Greeting,
  isSignedGreeting,
  type ReadGreeting,
  readGreeting,
  signedGreeting,
} from '../membership/greeting.ts';
export { InvalidEntryError } from '../membership/invalid-entry-error.ts';
export { isSignedBy, P256_ORDER, SIGNATURE_BYTES, SIGNING_KEY_BYTES } from '../membership/is-signed-by.ts';
export { linkFault } from '../membership/links.ts';
export {
  type KnownEntries,
  LOG_CHECKS_VERSION,
  type LogReading,
  type ReadLog,
  readLog,
  usersIn,
} from '../membership/read-log.ts';
export {
  type Consent,
  consentOf,
  type EntrySigners,
  isSignedCodeRequest,
  ledgerBytes,
  type Signer,
  signatureFault,
  signedCodeRequest,
  signedEntry,
  type Verify,
} from '../membership/signatures-of-entry.ts';
export type { MovedTo, WithheldEntry } from './bind-get-meta.ts';
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
  type CodeRecord,
  type ConsentRecord,
  type DeviceRecord,
  type GrantRecord,
  type KeyRecord,
  parseKeyRecord,
  RECORD_CHARS_MAX,
  type RotateRecord,
} from './parse-key-record.ts';
export {
  PRESENCE_EVENT,
  PRESENCE_FEATURE,
  PRESENCE_ID,
  PRESENCE_STATE,
  PRESENCE_STATE_CHARS_MAX,
} from './presence-limits.ts';
export type { PresenceAnswer, PresenceEvent } from './presence-messages.ts';
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
