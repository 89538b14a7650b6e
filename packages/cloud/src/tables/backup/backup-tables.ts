/**
 * The tables that a backup contains. A database may have others, such as views of extensions, and
 * tables of other programs.
 */
import { sql, type TableMetadata } from 'kysely';
import type { Connection } from '../connection.ts';
import type { Tables } from '../open-tables.ts';
import type { Schema } from '../schema.ts';

/** Whether a backup contains the rows of a table. Some rows belong to the running processes. */
const OWN: Readonly<Record<keyof Schema, boolean>> = {
  Users: true,
  Tenants: true,
  Ledgers: true,
  UserByProviders: true,
  TenantUsers: true,
  LedgerUsers: true,
  InviteTickets: true,
  InviteLinks: true,
  Metas: true,
  LedgerKeys: true,
  TokenByResultId: true,
  AuditRecords: true,
  RemovedLedgers: true,
  ApiTokens: true,
  LoginCodes: true,
  CloudMarks: true,
  AppBindings: true,
  Applications: true,
  ApplicationOrigins: true,
  ApplicationGrants: true,
  ApplicationCodes: true,
  ApplicationSessions: true,
  ApplicationUsers: true,
  UsedCodes: true,
  OrganizationTenants: true,
  SignOuts: true,
  EndedAccess: true,
  MailCounts: true,
  MailRefusals: true,
  LedgerObjects: true,
  ObjectRemovals: true,
  FaultyObjects: true,
  BackupLeases: false,
  Operators: true,
  // A restored server prints a new link if it has no operator.
  OperatorLinks: false,
  TenantStorage: true,
  ObjectSizes: true,
  TenantTraffic: true,
  RunningGateways: false,
  FailedMails: true,
};

/** Tables of the identity library. */
const IDENTITY = ['user', 'account', 'session', 'verification', 'jwks', 'passkey', 'twoFactor'];

/** Names of the tables, in an order in which their rows can be inserted. */
export const BACKUP_TABLES: readonly string[] = [
  ...Object.keys(OWN).filter((name) => OWN[name as keyof Schema]),
  ...IDENTITY,
];

export const isBackupTable = (name: string): boolean => BACKUP_TABLES.includes(name);

/** Returns the tables that exist, with their columns, in the order of {@link BACKUP_TABLES}. */
export async function ownTables({
  db,
  kind,
}: Pick<Tables, 'kind'> & { readonly db: Connection }): Promise<readonly TableMetadata[]> {
  const schema = kind === 'postgres' ? await currentSchema(db) : undefined;
  const found = new Map<string, TableMetadata>();
  for (const table of await db.introspection.getTables())
    if (table.schema === schema) found.set(table.name, table);
  return BACKUP_TABLES.map((name) => found.get(name)).filter((table) => table !== undefined);
}

/** Returns the schema of PostgreSQL that contains the tables of this server. */
async function currentSchema(db: Connection): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db);
  return rows[0]?.name;
}
