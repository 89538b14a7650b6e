import type { Generated } from 'kysely';

/** People who operate this server. Each is a user. */
interface OperatorsTable {
  userId: string;
  createdAt: string;
}

/** Hashes of the one-time links with which somebody becomes the first operator. */
interface OperatorLinksTable {
  hash: string;
  createdAt: string;
}

/** The stored bytes of a tenant, and its byte quota. PostgreSQL returns these numbers as text. */
interface TenantStorageTable {
  tenantId: string;
  /** The sum of the tenant's rows in {@link ObjectSizesTable}. */
  bytes: number | string;
  /** Null without a quota. */
  maxBytes: Generated<number | string | null>;
}

/** The size of an object with its variants. The name is its path without tenant and ledger. */
interface ObjectSizesTable {
  ledgerId: string;
  name: string;
  tenantId: string;
  bytes: number | string;
  /** Random text that changes with the size; see `object-sizes.ts`. */
  version: string;
}

/** The usage of a tenant on one day (UTC). */
interface TenantTrafficTable {
  tenantId: string;
  day: string;
  /** Bytes of objects. */
  uploaded: number | string;
  downloaded: number | string;
  /** Answered messages, uploads and downloads. */
  requests: Generated<number | string>;
  /** The stored bytes of the tenant at the last request of the day. */
  stored: number | string | null;
}

/** Processes that share these tables. Each updates its row regularly. */
interface RunningGatewaysTable {
  gatewayId: string;
  url: string;
  version: string;
  sockets: number;
  startedAt: string;
  seenAt: string;
}

/** Mails that the mail server didn't accept, without their texts. */
interface FailedMailsTable {
  mailId: string;
  receiver: string;
  subject: string;
  reason: string;
  failedAt: string;
}

export interface OperatorTables {
  Operators: OperatorsTable;
  OperatorLinks: OperatorLinksTable;
  TenantStorage: TenantStorageTable;
  ObjectSizes: ObjectSizesTable;
  TenantTraffic: TenantTrafficTable;
  RunningGateways: RunningGatewaysTable;
  FailedMails: FailedMailsTable;
}
