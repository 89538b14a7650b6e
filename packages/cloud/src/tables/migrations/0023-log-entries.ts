import { type Kysely, sql } from 'kysely';

/**
 * Adds columns for the id and kind of entries of the membership log. Deletes all texts with a mark
 * of entries, and with marks of later versions: earlier versions of the server stored them without
 * checking them, and no client wrote any.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function logEntries(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('LedgerKeys').addColumn('entryId', 'text').execute();
  await db.schema.alterTable('LedgerKeys').addColumn('entryKind', 'text').execute();
  const marked = await db
    .selectFrom('LedgerKeys')
    .select(['ledgerId', 'keyHash', 'keyText'])
    .where(sql<boolean>`substr("keyText", 1, 1) = 'S' and substr("keyText", 1, 3) <> 'S1.'`)
    .execute();
  for (const { ledgerId, keyHash, keyText } of marked)
    if (/^S[1-9]\d*\./.test(String(keyText)))
      await db
        .deleteFrom('LedgerKeys')
        .where('ledgerId', '=', ledgerId)
        .where('keyHash', '=', keyHash)
        .execute();
}
