import type { Kysely } from 'kysely';

/**
 * Adds a column for the time when a user withdrew a device or a recovery code from a sealed ledger.
 * The record stays, so that the key still belongs to the user who put it.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function withdrawnRecords(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('LedgerKeys').addColumn('removedAt', 'text').execute();
}
