import { type Kysely, sql } from 'kysely';

/**
 * Creates the tables of metas and keys of ledgers. Superseded metas stay in the table, but
 * the two indexes omit them.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function metas(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('Metas')
    .addColumn('tenantId', 'text', (c) => c.notNull().references('Tenants.tenantId'))
    .addColumn('ledgerId', 'text', (c) => c.notNull().references('Ledgers.ledgerId'))
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('cid', 'text', (c) => c.notNull())
    .addColumn('entry', 'text', (c) => c.notNull())
    .addColumn('writer', 'text', (c) => c.notNull())
    .addColumn('superseded', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('Metas_pk', ['ledgerId', 'seq'])
    .addUniqueConstraint('Metas_cid', ['ledgerId', 'cid'])
    .execute();
  await db.schema
    .createTable('LedgerKeys')
    .addColumn('ledgerId', 'text', (c) => c.notNull().references('Ledgers.ledgerId'))
    .addColumn('keyText', 'text', (c) => c.notNull())
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('LedgerKeys_pk', ['ledgerId', 'keyText'])
    .execute();
  await sql`create index "Metas_listed" on "Metas" ("ledgerId", "seq") where "superseded" = 0`.execute(db);
  await sql`create index "Metas_writer" on "Metas" ("ledgerId", "writer") where "superseded" = 0`.execute(db);
}
