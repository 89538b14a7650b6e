import { expect, test } from 'vitest';
import { newLedger } from '../../tests/cloud.fixture.ts';
import { openTestDatabase } from '../admin/admin.fixture.ts';
import { usageOf } from '../tables/operators/object-sizes.ts';
import { nameObjects } from '../tables/sync/ledger-objects.ts';
import { createCloudTokens, newSigningKey } from '../tokens/cloud-tokens.ts';
import { countExistingObjects } from './count-objects.ts';

test('counts objects from before the server counted bytes, once, also if a pass was interrupted', async () => {
  const db = await openTestDatabase();
  const tokens = await createCloudTokens([await newSigningKey()], () => 0);
  const ledgers = [await newLedger({ db, tokens }), await newLedger({ db, tokens })];
  for (const { ledger } of ledgers) await nameObjects(db, ledger, ['car/a', 'file/b', 'car/gone'], 'now');
  const measured: string[] = [];
  const stored = {
    bytesAt: async (path: string) => {
      measured.push(path);
      return path.endsWith('gone') ? 0 : 10;
    },
  };
  const count = (isStopping: () => boolean) => countExistingObjects({ db, stored, isStopping });
  const used = () => Promise.all(ledgers.map(async ({ tenant }) => (await usageOf(db, tenant)).bytes));
  await count(() => measured.length > 1);
  expect((await used()).toSorted()).not.toEqual([20, 20]);
  await count(() => false);
  expect(await used()).toEqual([20, 20]);
  measured.length = 0;
  await count(() => false);
  expect(measured).toEqual([]);
});
