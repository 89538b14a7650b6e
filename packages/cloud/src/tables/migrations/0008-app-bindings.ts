import type { Kysely } from 'kysely';

/** Creates the table that binds ledgers to applications. Deleting a ledger deletes its bindings. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function appBindings(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('AppBindings')
    .addColumn('appId', 'text', (c) => c.notNull())
    .addColumn('env', 'text', (c) => c.notNull())
    .addColumn('ledgerId', 'text', (c) => c.notNull())
    .addColumn('tenantId', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('AppBindings_pk', ['appId', 'env', 'ledgerId'])
    .execute();
  await db.schema.createIndex('AppBindings_ledger').on('AppBindings').column('ledgerId').execute();
}
