import type { Kysely } from 'kysely';

// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
type AnySchema = any;

/**
 * Creates the tables of users, tenants, ledgers and invites (spec §3), and of cloud tokens that
 * wait for an application. The default limits are the limits of the first version. New rows set
 * their limits explicitly (`new-limits.ts`).
 */
export async function accounts(db: Kysely<AnySchema>): Promise<void> {
  const tables = tablesOf(db);
  await createUsers(tables);
  await createTenants(tables);
  await createLedgers(tables);
  await createInvites(tables);
  await createTokens(db);
  await createIndexes(db);
}

type Tables = ReturnType<typeof tablesOf>;

function tablesOf(db: Kysely<AnySchema>) {
  const table = (name: string) =>
    db.schema
      .createTable(name)
      .addColumn('createdAt', 'text', (c) => c.notNull())
      .addColumn('updatedAt', 'text', (c) => c.notNull());
  const standing = (name: string) =>
    table(name)
      .addColumn('status', 'text', (c) => c.notNull().defaultTo('active'))
      .addColumn('statusReason', 'text', (c) => c.notNull().defaultTo('just created'));
  return { table, standing };
}

async function createUsers({ table, standing }: Tables): Promise<void> {
  await standing('Users')
    .addColumn('userId', 'text', (c) => c.primaryKey())
    .addColumn('maxTenants', 'integer', (c) => c.notNull().defaultTo(5))
    .execute();
  await table('UserByProviders')
    .addColumn('userId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('providerUserId', 'text', (c) => c.primaryKey())
    .addColumn('queryProvider', 'text', (c) => c.notNull())
    .addColumn('queryEmail', 'text')
    .addColumn('cleanEmail', 'text')
    .addColumn('queryNick', 'text')
    .addColumn('cleanNick', 'text')
    .addColumn('params', 'text', (c) => c.notNull())
    .addColumn('used', 'text', (c) => c.notNull())
    .execute();
}

async function createTenants({ standing }: Tables): Promise<void> {
  await standing('Tenants')
    .addColumn('tenantId', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('ownerUserId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('maxAdminUsers', 'integer', (c) => c.notNull().defaultTo(5))
    .addColumn('maxMemberUsers', 'integer', (c) => c.notNull().defaultTo(5))
    .addColumn('maxInvites', 'integer', (c) => c.notNull().defaultTo(10))
    .addColumn('maxLedgers', 'integer', (c) => c.notNull().defaultTo(5))
    .execute();
  await standing('TenantUsers')
    .addColumn('userId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('tenantId', 'text', (c) => c.notNull().references('Tenants.tenantId'))
    .addColumn('name', 'text')
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('default', 'integer', (c) => c.notNull().defaultTo(0))
    .addPrimaryKeyConstraint('TenantUsers_pk', ['tenantId', 'userId'])
    .execute();
}

async function createLedgers({ standing }: Tables): Promise<void> {
  await standing('Ledgers')
    .addColumn('ledgerId', 'text', (c) => c.primaryKey())
    .addColumn('tenantId', 'text', (c) => c.notNull().references('Tenants.tenantId'))
    .addColumn('ownerId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('maxShares', 'integer', (c) => c.notNull().defaultTo(5))
    .addColumn('metaSeq', 'integer', (c) => c.notNull().defaultTo(0))
    .addUniqueConstraint('Ledgers_name', ['tenantId', 'name'])
    .execute();
  await standing('LedgerUsers')
    .addColumn('ledgerId', 'text', (c) => c.notNull().references('Ledgers.ledgerId'))
    .addColumn('userId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('right', 'text', (c) => c.notNull())
    .addColumn('default', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('name', 'text')
    .addPrimaryKeyConstraint('LedgerUsers_pk', ['ledgerId', 'userId'])
    .execute();
}

async function createInvites({ table }: Tables): Promise<void> {
  await table('InviteTickets')
    .addColumn('inviteId', 'text', (c) => c.primaryKey())
    .addColumn('inviterUserId', 'text', (c) => c.notNull().references('Users.userId'))
    .addColumn('status', 'text', (c) => c.notNull().defaultTo('pending'))
    .addColumn('statusReason', 'text', (c) => c.notNull().defaultTo('just invited'))
    .addColumn('invitedUserId', 'text')
    .addColumn('queryProvider', 'text')
    .addColumn('queryEmail', 'text')
    .addColumn('queryNick', 'text')
    .addColumn('sendEmailCount', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('invitedTenantId', 'text', (c) => c.references('Tenants.tenantId'))
    .addColumn('invitedLedgerId', 'text', (c) => c.references('Ledgers.ledgerId'))
    .addColumn('invitedParams', 'text', (c) => c.notNull())
    .addColumn('expiresAfter', 'text', (c) => c.notNull())
    .execute();
}

async function createTokens(db: Kysely<AnySchema>): Promise<void> {
  await db.schema
    .createTable('TokenByResultId')
    .addColumn('resultId', 'text', (c) => c.primaryKey())
    .addColumn('token', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .execute();
}

async function createIndexes(db: Kysely<AnySchema>): Promise<void> {
  await db.schema.createIndex('UserByProviders_user').on('UserByProviders').column('userId').execute();
  await db.schema.createIndex('UserByProviders_email').on('UserByProviders').column('cleanEmail').execute();
  await db.schema.createIndex('TenantUsers_user').on('TenantUsers').column('userId').execute();
  await db.schema.createIndex('Tenants_owner').on('Tenants').column('ownerUserId').execute();
  await db.schema.createIndex('InviteTickets_user').on('InviteTickets').column('invitedUserId').execute();
  await db.schema.createIndex('InviteTickets_email').on('InviteTickets').column('queryEmail').execute();
  await db.schema.createIndex('InviteTickets_tenant').on('InviteTickets').column('invitedTenantId').execute();
}
