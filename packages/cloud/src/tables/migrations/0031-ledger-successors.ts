import type { Kysely } from 'kysely';

/** Lets a ledger name the ledger that it replaces, and the one that it moved to. */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function ledgerSuccessors(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('Ledgers').addColumn('successorOf', 'text').execute();
  await db.schema.alterTable('Ledgers').addColumn('movedTo', 'text').execute();
}
