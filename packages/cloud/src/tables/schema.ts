import type { Generated, Selectable } from 'kysely';
import type { ApplicationTables } from './applications/application-tables.ts';
import type { OperatorTables } from './operators/operator-tables.ts';

/**
 * The tables (spec §3). Timestamps are ISO text; ids are random text. `Generated` columns have a
 * default. Columns of limits also have a default, from the first migration, but they aren't
 * `Generated`, so that each insert must set the current limits.
 */
interface UsersTable {
  userId: string;
  maxTenants: number;
  status: Generated<string>;
  statusReason: Generated<string>;
  createdAt: string;
  updatedAt: string;
}

interface UserByProvidersTable {
  userId: string;
  providerUserId: string;
  queryProvider: string;
  queryEmail: string | null;
  cleanEmail: string | null;
  queryNick: string | null;
  cleanNick: string | null;
  params: string;
  used: string;
  createdAt: string;
  updatedAt: string;
}

interface TenantsTable {
  tenantId: string;
  name: string;
  ownerUserId: string;
  maxAdminUsers: number;
  maxMemberUsers: number;
  maxInvites: number;
  maxLedgers: number;
  /** `maxShares` of new ledgers; null for the limit of the server. */
  maxShares: number | null;
  status: Generated<string>;
  statusReason: Generated<string>;
  createdAt: string;
  updatedAt: string;
}

interface TenantUsersTable {
  userId: string;
  tenantId: string;
  name: string | null;
  role: string;
  status: Generated<string>;
  statusReason: Generated<string>;
  default: Generated<number>;
  createdAt: string;
  updatedAt: string;
}

interface LedgersTable {
  ledgerId: string;
  tenantId: string;
  ownerId: string;
  name: string;
  status: Generated<string>;
  statusReason: Generated<string>;
  maxShares: number;
  /** Number of the last meta; each meta of the ledger gets the next one. */
  metaSeq: Generated<number>;
  /**
   * Number of removals of objects. If this number changed after a put checked its entries, the put
   * checks them again.
   */
  removals: Generated<number>;
  /** `sealed` or `open-key`; null until the creator or the first put sets it. */
  kind: Generated<string | null>;
  /** The ledger of the same tenant that this one was created to replace. */
  successorOf: Generated<string | null>;
  /** The ledger of the same tenant that this one moved to. */
  movedTo: Generated<string | null>;
  createdAt: string;
  updatedAt: string;
}

interface LedgerUsersTable {
  ledgerId: string;
  userId: string;
  role: string;
  right: string;
  default: Generated<number>;
  status: Generated<string>;
  statusReason: Generated<string>;
  name: string | null;
  createdAt: string;
  updatedAt: string;
}

interface InviteTicketsTable {
  inviteId: string;
  inviterUserId: string;
  status: Generated<string>;
  statusReason: Generated<string>;
  invitedUserId: string | null;
  queryProvider: string | null;
  queryEmail: string | null;
  queryNick: string | null;
  sendEmailCount: Generated<number>;
  invitedTenantId: string | null;
  invitedLedgerId: string | null;
  invitedParams: string;
  expiresAfter: string;
  createdAt: string;
  updatedAt: string;
}

/** Links in mails of invites. Each proves the invited address once; see `invite-links.ts`. */
interface InviteLinksTable {
  inviteId: string;
  /** Hash of the secret in the link. */
  hash: string;
  createdAt: string;
}

/**
 * Metas of ledgers, each with its number in the ledger's sequence. Superseded metas keep their
 * rows, but are no longer listed.
 */
interface MetasTable {
  tenantId: string;
  ledgerId: string;
  seq: number;
  cid: string;
  /** The entry as the client sent it, as JSON. */
  entry: string;
  /** The user and connection that put the entry. */
  writer: string;
  superseded: Generated<number>;
  createdAt: string;
  /**
   * JSON: names of the known car objects that a reader needs. Null while the entry is unchecked,
   * and once it is superseded.
   */
  objects: string | null;
  /**
   * How complete `objects` is. `all`: all objects that a reader needs. `cars`: all archives that a
   * reader needs. `nothing`: a reader may need unknown objects.
   */
  tells: Generated<string>;
  /** 1 if the entry was found readable, before it was stored or when it was first listed. */
  checked: Generated<number>;
  /** Why the entry isn't listed: `malformed`, or `absent` when objects are missing or damaged. */
  withheld: string | null;
}

/** An object of a ledger. The name is its path without tenant and ledger, such as `car/<key>`. */
interface ObjectNamesTable {
  ledgerId: string;
  name: string;
  createdAt: string;
}

/** Keys of open-key ledgers, as their clients send them, and key records of sealed ledgers. */
interface LedgerKeysTable {
  ledgerId: string;
  /** The SHA-256 of the text, in hex: an index can't hold long texts. */
  keyHash: string;
  keyText: string;
  /** The user who put the key; null for rows that are older than this column. */
  userId: Generated<string | null>;
  createdAt: string;
  /** When a device or recovery code of a sealed ledger was withdrawn; null while it is listed. */
  removedAt: Generated<string | null>;
  /** The id (hex) and the kind of a checked entry of the membership log; null for other texts. */
  entryId: Generated<string | null>;
  entryKind: Generated<string | null>;
}

/**
 * Audit records, numbered within a tenant. A record never changes, and remains after the tenant is
 * deleted.
 */
export interface AuditRecordsTable {
  tenantId: string;
  seq: number;
  createdAt: string;
  userId: string;
  action: string;
  ledgerId: string | null;
  /** JSON. */
  detail: string;
  /** Network address of the caller. */
  origin: string | null;
}

/**
 * Cloud tokens that wait to be fetched once, encrypted with the id under which they are stored: see
 * `tokens/hand-off.ts`.
 */
interface TokenByResultIdTable {
  resultId: string;
  token: string;
  createdAt: string;
}

/** Removed ledgers whose objects must be deleted. */
export interface RemovedLedgersTable {
  tenantId: string;
  ledgerId: string;
  removedAt: string;
}

/** Tokens for programs, each with the user and tenant that it acts for, and its maximum right. */
export interface ApiTokensTable {
  tokenId: string;
  hash: string;
  userId: string;
  /** The tenant of the token; null for a device that is signed in as the user. */
  tenantId: string | null;
  name: string;
  right: 'read' | 'write' | 'admin' | 'users';
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
}

/** Devices that request to be signed in. */
export interface LoginCodesTable {
  hash: string;
  userCode: string;
  client: string;
  /** Network address of the device. */
  origin: string | null;
  status: 'pending' | 'approved' | 'denied';
  /** The user who approved or denied the code. */
  userId: string | null;
  createdAt: string;
  expiresAt: string;
}

/** Ledgers of applications, by the application's name and stage. */
export interface AppBindingsTable {
  appId: string;
  env: string;
  ledgerId: string;
  tenantId: string;
  createdAt: string;
}

/** Tenants of organisations of an identity provider. */
export interface OrganizationTenantsTable {
  provider: string;
  organizationId: string;
  tenantId: string;
  createdAt: string;
}

/** When a user signed out everywhere. */
interface SignOutsTable {
  userId: string;
  endedAt: string;
}

/** People who left a tenant or lost a ledger of it; see `ended-access.ts`. */
interface EndedAccessTable {
  tenantId: string;
  /** The ledger; empty when the person left the tenant. */
  ledgerId: string;
  /** `user` and a user's id, or `email` and an address, separated by a space. */
  who: string;
  /** Ids of the invites that were pending when the access ended, as JSON. */
  staleInvites: string;
  endedAt: string;
}

/** Number of mails to a recipient, or from a sender, in a period. */
interface MailCountsTable {
  subject: string;
  period: string;
  count: number;
}

/** Mailboxes that refuse mail, as hashes. */
interface MailRefusalsTable {
  mailbox: string;
  refusedAt: string;
}

/** One-time codes of second factors, kept for the minutes in which they could be used again. */
interface UsedCodesTable {
  hash: string;
  usedAt: string;
}

/** Values that all processes of one cloud share; see `markOf`. */
interface CloudMarksTable {
  name: string;
  value: string;
}

/** The backup that runs now; see `backup-lease.ts`. */
interface BackupLeasesTable {
  name: string;
  /** Random text of the process that makes the backup. */
  holder: string;
  expiresAt: string;
}

export interface Schema extends ApplicationTables, OperatorTables {
  Users: UsersTable;
  UserByProviders: UserByProvidersTable;
  Tenants: TenantsTable;
  TenantUsers: TenantUsersTable;
  Ledgers: LedgersTable;
  LedgerUsers: LedgerUsersTable;
  InviteTickets: InviteTicketsTable;
  InviteLinks: InviteLinksTable;
  Metas: MetasTable;
  LedgerKeys: LedgerKeysTable;
  TokenByResultId: TokenByResultIdTable;
  AuditRecords: AuditRecordsTable;
  RemovedLedgers: RemovedLedgersTable;
  ApiTokens: ApiTokensTable;
  LoginCodes: LoginCodesTable;
  CloudMarks: CloudMarksTable;
  AppBindings: AppBindingsTable;
  UsedCodes: UsedCodesTable;
  OrganizationTenants: OrganizationTenantsTable;
  SignOuts: SignOutsTable;
  EndedAccess: EndedAccessTable;
  MailCounts: MailCountsTable;
  MailRefusals: MailRefusalsTable;
  /** Objects that an entry of the ledger needs or needed. They are removed only with the ledger. */
  LedgerObjects: ObjectNamesTable;
  /**
   * Objects that are being removed. The gateway rejects entries that refer to such an object until
   * the removal ends.
   */
  ObjectRemovals: ObjectNamesTable;
  /** Objects that are damaged in the store, or that the store can't return. */
  FaultyObjects: ObjectNamesTable;
  BackupLeases: BackupLeasesTable;
}

/** Rows as queries return them. */
export type User = Selectable<UsersTable>;
export type UserByProvider = Selectable<UserByProvidersTable>;
export type Tenant = Selectable<TenantsTable>;
export type TenantUser = Selectable<TenantUsersTable>;
export type Ledger = Selectable<LedgersTable>;
export type InviteTicket = Selectable<InviteTicketsTable>;
export type AuditRow = Selectable<AuditRecordsTable>;
export type ApiTokenRow = Selectable<ApiTokensTable>;
export type LoginCodeRow = Selectable<LoginCodesTable>;
