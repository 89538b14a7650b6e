import type { Generated, Selectable } from 'kysely';

/** The tables (spec §3). Timestamps are ISO text; ids are random text. What is `Generated` has a default. */
export interface UsersTable {
  userId: string;
  maxTenants: Generated<number>;
  status: Generated<string>;
  statusReason: Generated<string>;
  createdAt: string;
  updatedAt: string;
}

export interface UserByProvidersTable {
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

export interface TenantsTable {
  tenantId: string;
  name: string;
  ownerUserId: string;
  maxAdminUsers: Generated<number>;
  maxMemberUsers: Generated<number>;
  maxInvites: Generated<number>;
  maxLedgers: Generated<number>;
  status: Generated<string>;
  statusReason: Generated<string>;
  createdAt: string;
  updatedAt: string;
}

export interface TenantUsersTable {
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

export interface LedgersTable {
  ledgerId: string;
  tenantId: string;
  ownerId: string;
  name: string;
  status: Generated<string>;
  statusReason: Generated<string>;
  maxShares: Generated<number>;
  /** Number of the last meta; each meta of the ledger has the next one. */
  metaSeq: Generated<number>;
  /** Rises with each object that is removed: who looked for objects before that looks again. */
  removals: Generated<number>;
  /** `sealed` or `open-key`; null until it is chosen, or settled by the first put. */
  kind: Generated<string | null>;
  createdAt: string;
  updatedAt: string;
}

export interface LedgerUsersTable {
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

export interface InviteTicketsTable {
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

/** Metas of ledgers, each with its place in the ledger's sequence. One that its writer superseded stays, but is no longer listed. */
export interface MetasTable {
  tenantId: string;
  ledgerId: string;
  seq: number;
  cid: string;
  /** The entry as it was sent, JSON. */
  entry: string;
  /** The user and connection that wrote it. */
  writer: string;
  superseded: Generated<number>;
  createdAt: string;
  /** Names of the car objects that a reader needs, JSON, as far as they are known. Null where nothing was checked, and once the entry is superseded. */
  objects: string | null;
  /** Whether `objects` are `all` that a reader needs, or the `cars` that the entry names, or `nothing` is known of the others. */
  tells: Generated<string>;
  /** 1 when the entry can be read: checked before it was stored, or when it was listed first. */
  checked: Generated<number>;
  /** Why the entry isn't listed: `malformed`, or `absent` when objects are missing or damaged. */
  withheld: string | null;
}

/** An object of a ledger, by what follows tenant and ledger in its path: `car/<key>`. */
export interface ObjectNamesTable {
  ledgerId: string;
  name: string;
  createdAt: string;
}

/** Key material of open-key ledgers, as their clients send it; records of sealed ones. */
export interface LedgerKeysTable {
  ledgerId: string;
  /** The sha-256 of the text, as hex text: an index takes no long texts. */
  keyHash: string;
  keyText: string;
  /** Who put it; null when it was put before that was noted. */
  userId: Generated<string | null>;
  createdAt: string;
  /** When a device or a recovery code of a sealed ledger was taken out; null while it is in the list. */
  removedAt: Generated<string | null>;
}

/** Who did what in a tenant, numbered within it. A record is never changed, and outlives the tenant. */
export interface AuditRecordsTable {
  tenantId: string;
  seq: number;
  createdAt: string;
  userId: string;
  action: string;
  ledgerId: string | null;
  /** JSON. */
  detail: string;
  /** Address of the caller. */
  origin: string | null;
}

/** Cloud tokens that wait to be fetched once, unreadable without the id under which they were left: see `tokens/hand-off.ts`. */
export interface TokenByResultIdTable {
  resultId: string;
  token: string;
  createdAt: string;
}

/** Ledgers that are gone and whose objects are to be removed. */
export interface RemovedLedgersTable {
  tenantId: string;
  ledgerId: string;
  removedAt: string;
}

/** Tokens for programs: as whom they act, where, and how much they may at most. */
export interface ApiTokensTable {
  tokenId: string;
  hash: string;
  userId: string;
  /** Null for a device that is signed in as the user. */
  tenantId: string | null;
  name: string;
  right: 'read' | 'write' | 'admin';
  createdAt: string;
  expiresAt: string;
  lastUsedAt: string | null;
}

/** Devices that ask to be signed in. */
export interface LoginCodesTable {
  hash: string;
  userCode: string;
  client: string;
  /** Address of the device. */
  origin: string | null;
  status: 'pending' | 'approved' | 'denied';
  /** Who decided. */
  userId: string | null;
  createdAt: string;
  expiresAt: string;
}

/** Ledgers of applications, by the application's own name and a stage of it. */
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

/** When all that somebody opened by signing in was ended at once. */
export interface SignOutsTable {
  userId: string;
  endedAt: string;
}

/** Who left a tenant or lost a ledger of it; see `ended-access.ts`. */
export interface EndedAccessTable {
  tenantId: string;
  /** Empty for the tenant as a whole. */
  ledgerId: string;
  /** An account or an address. */
  who: string;
  /** Ids of invites that were pending then, JSON. */
  staleInvites: string;
  endedAt: string;
}

/** How many mails a receiver or a sender had in a period. */
export interface MailCountsTable {
  subject: string;
  period: string;
  count: number;
}

/** Mailboxes that refuse mail, as hashes. */
export interface MailRefusalsTable {
  mailbox: string;
  refusedAt: string;
}

/** One-time codes of second factors, for the minutes in which they could be used again. */
export interface UsedCodesTable {
  hash: string;
  usedAt: string;
}

/** What all processes of one cloud have in common; see `markOf`. */
export interface CloudMarksTable {
  name: string;
  value: string;
}

export interface Schema {
  Users: UsersTable;
  UserByProviders: UserByProvidersTable;
  Tenants: TenantsTable;
  TenantUsers: TenantUsersTable;
  Ledgers: LedgersTable;
  LedgerUsers: LedgerUsersTable;
  InviteTickets: InviteTicketsTable;
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
  /** Objects that an entry of the ledger named, listed or superseded: none of these is removed. */
  LedgerObjects: ObjectNamesTable;
  /** Objects that are being removed. No entry may name one until that is done. */
  ObjectRemovals: ObjectNamesTable;
  /** Objects that are at the store and damaged, or that the store has and doesn't give. */
  FaultyObjects: ObjectNamesTable;
}

/** Rows as they are read. */
export type User = Selectable<UsersTable>;
export type UserByProvider = Selectable<UserByProvidersTable>;
export type Tenant = Selectable<TenantsTable>;
export type TenantUser = Selectable<TenantUsersTable>;
export type Ledger = Selectable<LedgersTable>;
export type LedgerUser = Selectable<LedgerUsersTable>;
export type InviteTicket = Selectable<InviteTicketsTable>;
export type AuditRow = Selectable<AuditRecordsTable>;
export type ApiTokenRow = Selectable<ApiTokensTable>;
export type LoginCodeRow = Selectable<LoginCodesTable>;
