import { describe, expect, test } from 'vitest';
import { openTwoLedgers } from '../ledgers/two-ledgers.fixture.ts';
import { requireNotRemoved } from './ledger-objects.ts';
import { readMetas } from './meta-rows.ts';
import { type PutMetas, putMetas } from './put-metas.ts';

const NOW = 1_700_000_000_000;
const entry = (cid: string, data = `data of ${cid}`) => ({ cid, parents: [], data });

async function opened() {
  const { db, a: id } = await openTwoLedgers();
  const put = (writer: string, cids: readonly string[], more: Partial<PutMetas> = {}) =>
    putMetas(db, id, writer, { metas: cids.map((cid) => entry(cid)), keys: [], ...more }, NOW);
  const listed = async () =>
    (await readMetas(db, id, 0, 100)).rows.map(({ seq, entry: { cid } }) => [seq, cid]);
  return { db, id, put, listed };
}

describe('a put of metas', () => {
  test('numbers its entries in their order, after the last entry of the ledger', async () => {
    const { put, listed } = await opened();
    expect(await put('w', ['one', 'two'])).toMatchObject({ after: 0, afterMark: '', cursor: 2 });
    expect(await put('x', ['three'])).toMatchObject({ after: 2, cursor: 3 });
    expect(await listed()).toEqual([
      [1, 'one'],
      [2, 'two'],
      [3, 'three'],
    ]);
  });

  test('returns the mark of the last meta before the put, and a different mark for its own last meta', async () => {
    const { put } = await opened();
    const first = await put('w', ['one']);
    const second = await put('x', ['two']);
    expect([second.afterMark, second.mark === first.mark]).toEqual([first.mark, false]);
  });

  test('stores an entry once if the put contains it twice, and also stores the entries after it', async () => {
    const { put, listed } = await opened();
    await put('w', ['one', 'one', 'two']);
    expect(await listed()).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  });

  test("doesn't number entries that are already listed", async () => {
    const { put, listed } = await opened();
    await put('w', ['one']);
    expect(await put('w', ['one', 'two'])).toMatchObject({ after: 1, cursor: 2 });
    expect(await put('w', ['one', 'two'])).toMatchObject({ after: 2, cursor: 2 });
    expect(await listed()).toEqual([
      [1, 'one'],
      [2, 'two'],
    ]);
  });

  test('has no effect when it arrives after a later put by the same writer', async () => {
    const { put, listed } = await opened();
    await put('w', ['one']);
    await put('w', ['two']);
    expect(await put('w', ['one'])).toMatchObject({ cursor: 2 });
    expect(await listed()).toEqual([[2, 'two']]);
  });

  test('lists an entry again that another writer superseded', async () => {
    const { put, listed } = await opened();
    await put('w', ['one']);
    await put('w', ['two']);
    expect(await put('x', ['one'])).toMatchObject({ after: 2, cursor: 3 });
    expect(await listed()).toEqual([
      [2, 'two'],
      [3, 'one'],
    ]);
  });

  test('rejects other data under a known CID, unless the new data was checked', async () => {
    const { put, listed } = await opened();
    await put('w', ['one']);
    const metas = [entry('one', 'other data')];
    await expect(put('x', [], { metas })).rejects.toMatchObject({ code: 'CONFLICT' });
    const needs = new Map([['one', { objects: [], tells: 'all' as const }]]);
    await put('x', [], { metas, needs });
    expect(await listed()).toEqual([[1, 'one']]);
  });

  test('rejects entries whose objects may have been removed since they were checked', async () => {
    const { db, id, put, listed } = await opened();
    await db.updateTable('Ledgers').set({ removals: 3 }).where('ledgerId', '=', id.ledger).execute();
    await expect(put('w', ['one'], { removals: 2 })).rejects.toMatchObject({
      code: 'MISSING_CARS',
      cause: { isOutdated: true },
    });
    expect(await listed()).toEqual([]);
    await put('w', ['one'], { removals: 3, files: ['file/a'] });
    await expect(requireNotRemoved(db, id.ledger, ['file/a'], NOW)).resolves.toBeUndefined();
  });

  test('is rejected if the ledger is unknown, inactive or of another tenant', async () => {
    const { db, id, put } = await opened();
    for (const wrong of [
      { ...id, ledger: 'unknown' },
      { ...id, tenant: 'unknown' },
    ])
      await expect(putMetas(db, wrong, 'w', { metas: [], keys: [] }, NOW)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    await db.updateTable('Ledgers').set({ status: 'inactive' }).where('ledgerId', '=', id.ledger).execute();
    await expect(put('w', ['one'])).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('stores keys only together with entries, unless the keys are records of devices', async () => {
    const { db, id, put } = await opened();
    expect(await put('w', [], { keys: ['zKey'] })).toMatchObject({ after: 0, cursor: 0, mark: '' });
    expect((await readMetas(db, id, 0, 10)).keys).toEqual([]);
    await put('w', ['one'], { keys: ['zKey'] });
    expect((await readMetas(db, id, 0, 10)).keys).toEqual(['zKey']);
  });
});
