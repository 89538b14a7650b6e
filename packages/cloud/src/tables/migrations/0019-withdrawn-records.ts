import type { Kysely } from 'kysely';

/** When somebody took a device or a recovery code out of a sealed ledger: the record stays, so that its key can be told to be theirs after they left. */
// biome-ignore lint/suspicious/noExplicitAny: a migration runs before the schema that the type describes exists
export async function withdrawnRecords(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('LedgerKeys').addColumn('removedAt', 'text').execute();
}
