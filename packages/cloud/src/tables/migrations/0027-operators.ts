import type { Kysely } from 'kysely';

/**
 * Adds operators, the number of stored bytes by tenant, byte quotas, traffic by day, running
 * gateways and failed mails.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function operators(db: Kysely<any>): Promise<void> {
  await operatorTables(db);
  await storageTables(db);
  await db.schema
    .createTable('RunningGateways')
    .addColumn('gatewayId', 'text', (c) => c.primaryKey())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('sockets', 'integer', (c) => c.notNull())
    .addColumn('startedAt', 'text', (c) => c.notNull())
    .addColumn('seenAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('FailedMails')
    .addColumn('mailId', 'text', (c) => c.primaryKey())
    .addColumn('receiver', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('failedAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema.createIndex('FailedMails_newest').on('FailedMails').column('failedAt').execute();
  await db.schema.createIndex('AuditRecords_newest').on('AuditRecords').column('createdAt').execute();
}

// biome-ignore lint/suspicious/noExplicitAny: see above
async function operatorTables(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('Operators')
    .addColumn('userId', 'text', (c) => c.primaryKey())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('OperatorLinks')
    .addColumn('hash', 'text', (c) => c.primaryKey())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .execute();
}

// biome-ignore lint/suspicious/noExplicitAny: see above
async function storageTables(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('TenantStorage')
    .addColumn('tenantId', 'text', (c) => c.primaryKey())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('maxBytes', 'bigint')
    .execute();
  await db.schema
    .createTable('ObjectSizes')
    .addColumn('ledgerId', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('ObjectSizes_pk', ['ledgerId', 'name'])
    .execute();
  await db.schema
    .createTable('TenantTraffic')
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('uploaded', 'bigint', (c) => c.notNull())
    .addColumn('downloaded', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('TenantTraffic_pk', ['tenantId', 'day'])
    .execute();
}
