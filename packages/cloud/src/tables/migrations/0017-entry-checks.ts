import { type Kysely, sql } from 'kysely';

/**
 * Adds columns for the checks of entries, and tables of the objects that entries need. Existing
 * entries are checked when they are first listed. Until then nothing is known about their objects.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function entryChecks(db: Kysely<any>): Promise<void> {
  const metas = () => db.schema.alterTable('Metas');
  await metas().addColumn('objects', 'text').execute();
  await metas()
    .addColumn('tells', 'text', (c) => c.notNull().defaultTo('nothing'))
    .execute();
  await metas()
    .addColumn('checked', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await metas().addColumn('withheld', 'text').execute();
  await sql`create index "Metas_withheld" on "Metas" ("ledgerId") where "withheld" is not null`.execute(db);
  await db.schema
    .alterTable('Ledgers')
    .addColumn('removals', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  for (const table of ['LedgerObjects', 'ObjectRemovals', 'FaultyObjects'])
    await db.schema
      .createTable(table)
      .addColumn('ledgerId', 'text', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('createdAt', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint(`${table}_pk`, ['ledgerId', 'name'])
      .execute();
}
