import type { Kysely } from 'kysely';

/**
 * Adds a column for the time when a user withdrew a device or a recovery code from a sealed ledger.
 * The record stays, so that the key still belongs to the user who put it.
 */
// biome-ignore lint/suspicious/noExplicitAny: a migration runs before the schema that the type describes exists
export async function withdrawnRecords(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('LedgerKeys').addColumn('removedAt', 'text').execute();
}
