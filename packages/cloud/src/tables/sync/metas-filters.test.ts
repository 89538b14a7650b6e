/**
 * Tests that queries about one ledger omit the rows of other ledgers. Two ledgers of one tenant
 * have the same numbers, writers and CIDs.
 */
import { expect, test } from 'vitest';
import { openTwoLedgers } from '../ledgers/two-ledgers.fixture.ts';
import { lastPlaces, newestMetas, readMetas } from './meta-rows.ts';
import { putMetas } from './put-metas.ts';

const NOW = 1_700_000_000_000;
const entry = (cid: string, data = `data of ${cid}`) => ({ cid, parents: [], data });
const put = (...cids: string[]) => ({ metas: cids.map((cid) => entry(cid)), keys: [] });

const cidsOf = async (db: Parameters<typeof readMetas>[0], id: Parameters<typeof readMetas>[1]) =>
  (await readMetas(db, id, 0, 100)).rows.map(({ entry: { cid } }) => cid);

test('[S2] numbers metas separately in each ledger', async () => {
  const { db, a, b } = await openTwoLedgers();
  await putMetas(db, a, 'w1', put('one', 'two'), NOW);
  expect(await putMetas(db, b, 'w1', put('three'), NOW)).toMatchObject({ after: 0, cursor: 1 });
  expect(await putMetas(db, a, 'w2', put('four'), NOW)).toMatchObject({ after: 2, cursor: 3 });
  expect((await lastPlaces(db, [a.ledger])).get(a.ledger)).toMatchObject({ cursor: 3 });
});

test('[S2] supersedes only entries of the same ledger and writer', async () => {
  const { db, a, b } = await openTwoLedgers();
  await putMetas(db, a, 'w', put('one'), NOW);
  await putMetas(db, a, 'x', put('kept'), NOW);
  await putMetas(db, b, 'w', put('two'), NOW);
  await putMetas(db, a, 'w', put('three'), NOW);
  expect(await cidsOf(db, a)).toEqual(['kept', 'three']);
  expect(await cidsOf(db, b)).toEqual(['two']);
});

test('[S2] accepts a CID that another ledger has with different data', async () => {
  const { db, a, b } = await openTwoLedgers();
  await putMetas(db, a, 'w', { metas: [entry('same', 'data of a')], keys: [] }, NOW);
  await putMetas(db, b, 'w', { metas: [entry('same', 'data of b')], keys: [] }, NOW);
  expect((await readMetas(db, b, 0, 100)).rows.map(({ entry: { data } }) => data)).toEqual(['data of b']);
  expect((await readMetas(db, a, 0, 100)).rows.map(({ entry: { data } }) => data)).toEqual(['data of a']);
});

test('[R12] starts from the beginning if the mark of a cursor belongs to another ledger', async () => {
  const { db, a, b } = await openTwoLedgers();
  const { cursor, mark } = await putMetas(db, a, 'w', put('one'), NOW);
  const foreign = await putMetas(db, b, 'w', put('two'), NOW);
  expect((await readMetas(db, a, { cursor, mark }, 100)).from).toBe(1);
  expect((await readMetas(db, b, { cursor, mark: foreign.mark }, 100)).from).toBe(1);
  expect((await readMetas(db, a, { cursor, mark: foreign.mark }, 100)).from).toBe(0);
});

test('[S2] finds no ledger of another tenant, and no inactive ledger', async () => {
  const { db, a, foreign } = await openTwoLedgers();
  const elsewhere = { tenant: foreign, ledger: a.ledger };
  await expect(putMetas(db, elsewhere, 'w', put('one'), NOW)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(readMetas(db, elsewhere, 0, 100)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await db.updateTable('Ledgers').set({ status: 'inactive' }).where('ledgerId', '=', a.ledger).execute();
  await expect(putMetas(db, a, 'w', put('one'), NOW)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('[S2] lists the newest entries of only the given ledger', async () => {
  const { db, a, b } = await openTwoLedgers();
  await putMetas(db, a, 'w1', put('one'), NOW);
  await putMetas(db, b, 'w1', put('two', 'three'), NOW);
  await putMetas(db, a, 'w2', put('four'), NOW);
  const cidsOfNewest = async ({ ledger }: typeof a, limit: number) =>
    (await newestMetas(db, ledger, limit)).map(({ entry: { cid } }) => cid);
  expect(await cidsOfNewest(a, 10)).toEqual(['four', 'one']);
  expect(await cidsOfNewest(b, 1)).toEqual(['three']);
});
