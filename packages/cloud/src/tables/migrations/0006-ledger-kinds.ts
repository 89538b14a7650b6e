import { type Kysely, sql } from 'kysely';

/**
 * Adds the kind of a ledger. Also adds the user who put a record into the key list, so that records
 * of former members are recognised.
 */
// biome-ignore lint/suspicious/noExplicitAny: the type describes the latest schema, which may not exist yet when a migration runs
export async function ledgerKinds(db: Kysely<any>): Promise<void> {
  await db.schema.alterTable('Ledgers').addColumn('kind', 'text').execute();
  await db.schema.alterTable('LedgerKeys').addColumn('userId', 'text').execute();
  const hasSealedKey = sql`exists (select 1 from "LedgerKeys" k where k."ledgerId" = "Ledgers"."ledgerId" and k."keyText" like 'S%')`;
  const hasKey = sql`exists (select 1 from "LedgerKeys" k where k."ledgerId" = "Ledgers"."ledgerId")`;
  await sql`update "Ledgers" set "kind" = case when ${hasSealedKey} then 'sealed' else 'open-key' end where "metaSeq" > 0 or ${hasKey}`.execute(
    db,
  );
}
