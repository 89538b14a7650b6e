import { createHash } from 'node:crypto';
import type { Kysely } from 'kysely';

/**
 * Identifies keys of ledgers by a hash, because the record of a key rotation is too long for a
 * PostgreSQL index.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function ledgerKeyHashes(db: Kysely<any>): Promise<void> {
  await db.schema
    .createTable('LedgerKeysByHash')
    .addColumn('ledgerId', 'text', (c) => c.notNull().references('Ledgers.ledgerId'))
    .addColumn('keyHash', 'text', (c) => c.notNull())
    .addColumn('keyText', 'text', (c) => c.notNull())
    .addColumn('userId', 'text')
    .addColumn('createdAt', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('LedgerKeysByHash_pk', ['ledgerId', 'keyHash'])
    .execute();
  for (const row of await db.selectFrom('LedgerKeys').selectAll().execute()) {
    const { ledgerId, keyText, userId, createdAt } = row;
    const keyHash = createHash('sha256').update(String(keyText)).digest('hex');
    await db
      .insertInto('LedgerKeysByHash')
      .values({ ledgerId, keyHash, keyText, userId, createdAt })
      .execute();
  }
  await db.schema.dropTable('LedgerKeys').execute();
  await db.schema.alterTable('LedgerKeysByHash').renameTo('LedgerKeys').execute();
}
