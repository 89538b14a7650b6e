/**
 * Opens two ledgers, `a` and `b`, of one tenant. The id of `b` sorts first, so that a query that
 * doesn't filter by ledger finds `b`.
 */
import { onTestFinished } from 'vitest';
import { newLedger, tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';

export async function openTwoLedgers() {
  const tables = await tablesOf(await temporaryFolder());
  const { db } = tables;
  onTestFinished(() => db.destroy());
  const { tenant, ledger } = await newLedger(tables);
  const row = await db
    .selectFrom('Ledgers')
    .selectAll()
    .where('ledgerId', '=', ledger)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('Ledgers')
    .values({ ...row, ledgerId: `0-${ledger}`, name: 'other' })
    .execute();
  const other = await newLedger(tables);
  return { db, a: { tenant, ledger }, b: { tenant, ledger: `0-${ledger}` }, foreign: other.tenant };
}
