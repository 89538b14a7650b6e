/**
 * Runs queries about one ledger while a second ledger has the same content. The queries must
 * neither read nor change the second ledger.
 */
import { describe, expect, test } from 'vitest';
import type { Db } from '../connection.ts';
import { deleteKeys, putKeys, readKeys, withdrawRecords } from '../sync/ledger-key-rows.ts';
import {
  namedFiles,
  nameObjects,
  removalsOf,
  removeUnnamed,
  requireNotRemoved,
} from '../sync/ledger-objects.ts';
import { putMetas } from '../sync/put-metas.ts';
import {
  clearFaulty,
  deleteEntries,
  type EntryNeeds,
  faultyObjects,
  markChecked,
  markFaulty,
  readWithheld,
  release,
  withhold,
} from '../sync/withheld-rows.ts';
import { getTenant, renameTenant } from '../tenants/tenant-rows.ts';
import { openTwoLedgers } from './two-ledgers.fixture.ts';

const NOW = 1_700_000_000_000;
const AT = '2026-11-23';
const TABLES = [
  'Metas',
  'LedgerKeys',
  'LedgerObjects',
  'ObjectRemovals',
  'FaultyObjects',
  'Ledgers',
] as const;
const entry = (cid: string) => ({ cid, parents: [], data: `data of ${cid}` });

const rowsOf = async (db: Db, { ledger }: { readonly ledger: string }) =>
  Promise.all(
    TABLES.map((table) =>
      db
        .selectFrom(table as 'Ledgers')
        .selectAll()
        .where('ledgerId', '=', ledger)
        .execute(),
    ),
  );

/** Opens two ledgers with the same content. The second ledger has two more entries. */
async function openSame() {
  const { db, a, b } = await openTwoLedgers();
  for (const { ledger } of [a, b]) {
    await putMetas(db, { ...a, ledger }, 'w', { metas: [entry('one')], keys: [] }, NOW);
    await nameObjects(db, ledger, ['car/1', 'file/1'], AT);
    await markFaulty(db, ledger, 'car/1', NOW);
    await putKeys(db, ledger, null, ['zA', 'Srecord'], AT);
  }
  await putMetas(db, b, 'x', { metas: [entry('two'), entry('three')], keys: [] }, NOW);
  const checked = new Map<string, EntryNeeds>(
    ['one', 'two', 'three'].map((cid) => [cid, { objects: [], tells: 'all' }]),
  );
  const expectOther = async (before: unknown) => expect(await rowsOf(db, b)).toEqual(before);
  return { db, a, b, checked, expectOther };
}

describe('[S2] changing one of two ledgers', () => {
  type Parts = Awaited<ReturnType<typeof openSame>>;
  test.each<[string, (parts: Parts) => Promise<unknown>]>([
    ['withhold', ({ db, a }) => withhold(db, a.ledger, new Map([['one', 'absent']]))],
    ['markChecked', ({ db, a, checked }) => markChecked(db, a.ledger, checked, NOW)],
    ['clearFaulty', ({ db, a }) => clearFaulty(db, a.ledger, 'car/1')],
    ['deleteEntries', ({ db, a }) => deleteEntries(db, a.ledger, ['one'])],
    ['deleteKeys', ({ db, a }) => deleteKeys(db, a.ledger, ['zA'])],
    ['withdrawRecords', ({ db, a }) => withdrawRecords(db, a.ledger, ['Srecord'], AT)],
    ['putKeys', ({ db, a }) => putKeys(db, a.ledger, 'ada', ['Srecord'], AT)],
    ['removeUnnamed', ({ db, a }) => removeUnnamed(db, a.ledger, 'wal/1', NOW, async () => true)],
  ])('leaves the other ledger unchanged: %s', async (_, change) => {
    const parts = await openSame();
    const { db, a, b, expectOther } = parts;
    const [own, others] = [await rowsOf(db, a), await rowsOf(db, b)];
    await change(parts);
    await expectOther(others);
    expect(await rowsOf(db, a)).not.toEqual(own);
  });

  test('numbers released entries in the sequence of their own ledger', async () => {
    const { db, a, b, expectOther } = await openSame();
    for (const { ledger } of [a, b]) await withhold(db, ledger, new Map([['one', 'absent']]));
    const others = await rowsOf(db, b);
    await release(db, a.ledger, ['one']);
    await expectOther(others);
    await release(db, b.ledger, ['one']);
    const released = db.selectFrom('Metas').select(['ledgerId', 'seq']).where('cid', '=', 'one');
    expect(new Map((await released.execute()).map(({ ledgerId, seq }) => [ledgerId, seq]))).toEqual(
      new Map([
        [a.ledger, 2],
        [b.ledger, 4],
      ]),
    );
  });

  test('removes an object while the object of the same name in the other ledger is being removed', async () => {
    const { db, a, b, expectOther } = await openSame();
    let inside: unknown;
    await removeUnnamed(db, b.ledger, 'wal/1', NOW, async () => {
      const others = await rowsOf(db, b);
      await removeUnnamed(db, a.ledger, 'wal/1', NOW, async () => true);
      await expectOther(others);
      inside = await requireNotRemoved(db, a.ledger, ['wal/1'], NOW).then(() => 'free');
      await expect(requireNotRemoved(db, b.ledger, ['wal/1'], NOW)).rejects.toMatchObject({
        code: 'MISSING_CARS',
      });
      return true;
    });
    await removeUnnamed(db, a.ledger, 'wal/2', NOW, async () => true);
    expect([inside, await removalsOf(db, a.ledger), await removalsOf(db, b.ledger)]).toEqual(['free', 2, 1]);
  });

  test('sets only the kind of the ledger that gets its first entry', async () => {
    const { db, a, b } = await openTwoLedgers();
    await putMetas(db, a, 'w', { metas: [entry('one')], keys: [] }, NOW);
    const kinds = db.selectFrom('Ledgers').select(['ledgerId', 'kind']);
    const found = new Map((await kinds.execute()).map(({ ledgerId, kind }) => [ledgerId, kind]));
    expect([found.get(a.ledger), found.get(b.ledger)]).toEqual(['open-key', null]);
  });
});

describe('[S2] reading one ledger', () => {
  test('returns no withheld entries, faulty objects, files or keys of the other ledger', async () => {
    const { db, a, b } = await openTwoLedgers();
    await putMetas(db, b, 'w', { metas: [entry('one')], keys: [] }, NOW);
    await withhold(db, b.ledger, new Map([['one', 'absent']]));
    await markFaulty(db, b.ledger, 'car/1', NOW);
    await nameObjects(db, b.ledger, ['file/1'], AT);
    await putKeys(db, b.ledger, null, ['zA'], AT);
    const look = async ({ ledger }: typeof a) => [
      (await readWithheld(db, ledger, 10)).length,
      (await faultyObjects(db, ledger)).size,
      (await namedFiles(db, ledger, 10)).length,
      (await readKeys(db, ledger)).length,
    ];
    expect([await look(a), await look(b)]).toEqual([
      [0, 0, 0, 0],
      [1, 1, 1, 1],
    ]);
  });

  test('removes an object even if the other ledger needs an object of the same name', async () => {
    const { db, a, b, checked } = await openSame();
    for (const { ledger } of [a, b]) await markChecked(db, ledger, checked, NOW);
    await nameObjects(db, b.ledger, ['car/2', 'car/3'], AT);
    const remove = () => removeUnnamed(db, a.ledger, 'car/2', NOW, async () => true);
    expect(await remove()).toBe('removed');
    await nameObjects(db, a.ledger, ['car/2'], AT);
    expect(await remove()).toBe('kept');
    await putMetas(db, b, 'y', { metas: [entry('unchecked')], keys: [] }, NOW);
    expect(await removeUnnamed(db, a.ledger, 'car/3', NOW, async () => true)).toBe('removed');
    expect(await removeUnnamed(db, b.ledger, 'car/4', NOW, async () => true)).toBe('kept');
  });
});

test('[S2] renames only the given tenant', async () => {
  const { db, a, foreign } = await openTwoLedgers();
  await renameTenant(db, foreign, 'Renamed', AT);
  const isRenamed = async (tenant: string) => (await getTenant(db, tenant))?.name === 'Renamed';
  expect([await isRenamed(a.tenant), await isRenamed(foreign)]).toEqual([false, true]);
});
