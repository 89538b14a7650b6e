import { expect, onTestFinished, test } from 'vitest';
import { newLedger, tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import { testDatabaseUrl } from '../postgres.fixture.ts';
import { deleteKeys, putKeys, readKeys } from './ledger-key-rows.ts';

test('[S1] deletes a key of one ledger, and leaves the same key of another', async () => {
  const folder = await temporaryFolder();
  const process = await tablesOf(folder, await testDatabaseUrl(folder));
  onTestFinished(() => process.db.destroy());
  const { db } = process;
  const [first, second] = [await newLedger(process), await newLedger(process)];
  for (const { ledger } of [first, second]) await putKeys(db, ledger, null, ['zA', 'zB'], '2026-11-23');
  await deleteKeys(db, first.ledger, ['zA', 'zNone']);
  expect(await readKeys(db, first.ledger)).toEqual(['zB']);
  expect(await readKeys(db, second.ledger)).toEqual(['zA', 'zB']);
  await deleteKeys(db, second.ledger, []);
  expect(await readKeys(db, second.ledger)).toEqual(['zA', 'zB']);
});
