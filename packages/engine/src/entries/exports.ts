export { FixpointError, isFixpointError } from '@fixpoint/protocol';
export type { Head } from '../clock/event.ts';
export type {
  Collection,
  CollectionDefinition,
  CollectionFindOptions,
  CollectionFound,
  CollectionGroup,
  CollectionGroupOptions,
  CollectionInTransaction,
  CollectionReferences,
  Collections,
  DatabaseWith,
  Migrated,
  NewDocument,
  NoReferences,
  OnlyReferences,
  OpenCollections,
  ReadDocument,
  TransactionWith,
  With,
  WithReferences,
} from '../collections/collection-types.ts';
export type { CollectionOptions } from '../collections/define-collection.ts';
export type { InputOf, OutputOf, StandardSchema } from '../collections/standard-schema.ts';
export type { InvalidDocument, SchemaIssue } from '../collections/stored-form.ts';
export type {
  DatabaseOf,
  DatabaseViewOf,
  DeletedDocument,
  MapOf,
  TransactionOf,
  TypedFindOptions,
  UntypedDatabase,
} from '../collections/typed-database.ts';
export type {
  PathOf,
  SortPathOf,
  TypedConditions,
  TypedSort,
  TypedWhere,
  ValueAt,
} from '../collections/typed-where.ts';
export type { Arrival } from '../commit/verify/arrivals.ts';
export type { LogFindings, MemberEvents, UnsignedFrom } from '../commit/verify/authors.ts';
export type { EventAuthor } from '../commit/verify/log-authors.ts';
export type { Damage, Verification, VerifyOptions } from '../commit/verify/verify.ts';
export type {
  EarlierChanges,
  EarlierDevice,
  LedgerAdmission,
  LedgerCodeRequest,
  LedgerDevice,
  LedgerFork,
  LedgerKeyring,
  LedgerLog,
  LedgerMember,
  Named,
  ReplacedCode,
  UnconfirmedEntry,
  WithheldEvent,
} from '../crypto/ledger-keys.ts';
export type {
  AllDocs,
  AllDocsOptions,
  BulkOptions,
  BulkWritten,
  ChangeRow,
  Changes,
  Database,
  DatabaseOptions,
  DocRow,
  Emit,
  Explanation,
  Fields,
  Finding,
  FindOptions,
  FindResult,
  Group,
  GroupOptions,
  IndexDeclaration,
  KnownIndex,
  MapFunction,
  MergeRule,
  QueryOptions,
  QueryResult,
  QueryRow,
  Reference,
  References,
  RotatedKey,
  Stored,
  Transaction,
  TypedMap,
  Where,
  Written,
} from '../database/database.ts';
export type {
  ConflictEvents,
  ConflictingDocument,
  ConflictList,
  Conflicts,
  ConflictsOptions,
  DocumentConflicts,
  PartialOptions,
} from '../database/past/conflicts-interface.ts';
export type {
  CommitEvent,
  DocumentVersion,
  EventStamp,
  History,
  HistoryOptions,
} from '../database/past/history.ts';
export { type Proofs, verifyProof } from '../database/past/proofs.ts';
export type { DatabaseView, DocumentChange, TimeTravel } from '../database/past/time-travel.ts';
export type { Doc } from '../documents/encode.ts';
export type { FileContent, FileInput } from '../files/file-input.ts';
export type { StoredFile } from '../files/read-file.ts';
export type { SortDirection } from '../find/find-options.ts';
export type { Comparable, FieldConditions, ValueType } from '../find/where.ts';
export type { Durability } from '../ports/byte-store.ts';
export type { Emitted, Sandbox } from '../ports/sandbox.ts';
export type { Proof, ProofBlock } from '../proof/proof.ts';
export type { LedgerKind } from '../sync/ledger/ledger-sealing.ts';
export type {
  Attached,
  CloudOptions,
  LedgerDevices,
  LedgerHoldings,
  LogFounder,
  Presence,
  PresenceDoor,
  PresenceStatus,
  PresentClient,
  Remote,
  SyncState,
  SyncStatus,
  WithheldEntry,
} from '../sync/remote.ts';
export { toCloud } from '../sync/to-cloud.ts';
export type { MemberOptions } from '../sync/transport/connection.ts';
export { collection } from './collection.ts';
