import { expect, test } from 'vitest';
import { openTwoLedgers } from '../ledgers/two-ledgers.fixture.ts';
import { removeUnnamed, requireNotRemoved } from './ledger-objects.ts';

const NOW = 1_700_000_000_000;
const LATER = NOW + 301_000;

test('[R14] rejects entries that refer to a partly removed object, for at most five minutes after the removal failed', async () => {
  const { db, a } = await openTwoLedgers();
  const remove = (name: string, at: number, isFailing: boolean) =>
    removeUnnamed(db, a.ledger, name, at, async () => {
      if (isFailing) throw new Error('the store fails');
      return true;
    });
  await expect(remove('car/1', NOW, true)).rejects.toThrow('the store fails');
  const names = ['car/1'];
  await expect(requireNotRemoved(db, a.ledger, names, NOW)).rejects.toMatchObject({ code: 'MISSING_CARS' });
  await requireNotRemoved(db, a.ledger, names, LATER);
  await remove('car/2', LATER, false);
  expect(await db.selectFrom('ObjectRemovals').selectAll().execute()).toEqual([]);
});
