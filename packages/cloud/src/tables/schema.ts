/** The tables (spec §3). Timestamps are ISO text; ids are random text. */
export interface Users {
  userId: string;
  maxTenants: number;
  status: string;
  statusReason: string;
  createdAt: string;
  updatedAt: string;
}

export interface UserByProviders {
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

export interface Tenants {
  tenantId: string;
  name: string;
  ownerUserId: string;
  maxAdminUsers: number;
  maxMemberUsers: number;
  maxInvites: number;
  maxLedgers: number;
  status: string;
  statusReason: string;
  createdAt: string;
  updatedAt: string;
}

export interface TenantUsers {
  userId: string;
  tenantId: string;
  name: string | null;
  role: string;
  status: string;
  statusReason: string;
  default: number;
  createdAt: string;
  updatedAt: string;
}

export interface Ledgers {
  ledgerId: string;
  tenantId: string;
  ownerId: string;
  name: string;
  status: string;
  statusReason: string;
  maxShares: number;
  /** Number of the last meta; each meta of the ledger has the next one. */
  metaSeq: number;
  createdAt: string;
  updatedAt: string;
}

export interface LedgerUsers {
  ledgerId: string;
  userId: string;
  role: string;
  right: string;
  default: number;
  status: string;
  statusReason: string;
  name: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface InviteTickets {
  inviteId: string;
  inviterUserId: string;
  status: string;
  statusReason: string;
  invitedUserId: string | null;
  queryProvider: string | null;
  queryEmail: string | null;
  queryNick: string | null;
  sendEmailCount: number;
  invitedTenantId: string | null;
  invitedLedgerId: string | null;
  invitedParams: string;
  expiresAfter: string;
  createdAt: string;
  updatedAt: string;
}

/** Metas of ledgers, each with its place in the ledger's sequence. One that its writer superseded stays, but is no longer listed. */
export interface Metas {
  tenantId: string;
  ledgerId: string;
  seq: number;
  cid: string;
  /** The entry as it was sent, JSON. */
  entry: string;
  /** The user and connection that wrote it. */
  writer: string;
  superseded: number;
  createdAt: string;
}

/** Key material of open-key ledgers, as their clients send it. */
export interface LedgerKeys {
  ledgerId: string;
  keyText: string;
  createdAt: string;
}

/** Cloud tokens that wait to be fetched once. */
export interface TokenByResultId {
  resultId: string;
  token: string;
  createdAt: string;
}

export interface Schema {
  Users: Users;
  UserByProviders: UserByProviders;
  Tenants: Tenants;
  TenantUsers: TenantUsers;
  Ledgers: Ledgers;
  LedgerUsers: LedgerUsers;
  InviteTickets: InviteTickets;
  Metas: Metas;
  LedgerKeys: LedgerKeys;
  TokenByResultId: TokenByResultId;
}
