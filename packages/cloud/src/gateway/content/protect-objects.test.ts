import { describe, expect, test } from 'vitest';
import { createTraffic } from '../../tables/operators/traffic.ts';
import { nameObjects } from '../../tables/sync/ledger-objects.ts';
import { faultyObjects, markFaulty } from '../../tables/sync/withheld-rows.ts';
import { ledgerWithStore } from './care.fixture.ts';
import { checkReported, createObjectCare } from './protect-objects.ts';
import { createStorageCount } from './storage-count.ts';

const BYTES = Buffer.from('archive');

/** The object care of one ledger, whose store has one archive. */
async function caring() {
  const world = await ledgerWithStore();
  const { db, id, presence, listings, now, reports, nameOf, stored, objects } = world;
  const report = (error: unknown) => void reports.push(error);
  const count = createStorageCount(db, { bytesAt: async () => 0 });
  const parts = { db, presence, listings, count, traffic: createTraffic(db, now), now, report };
  const care = createObjectCare(parts);
  const name = nameOf('archive');
  const pathOf = (of: string) => `${id.tenant}/${id.ledger}/${of}`;
  stored.add(name);
  const contents = new Map<string, Buffer>([[name, BYTES]]);
  const read = async ({ store, key }: { store: string; key: string }) => contents.get(`${store}/${key}`);
  const checkAll = (...names: string[]) => checkReported(parts, { ...objects, read } as never, id, names);
  const isFaulty = async (of = name) => (await faultyObjects(db, id.ledger)).has(of);
  return { ...world, care, name, path: pathOf(name), pathOf, contents, checkAll, isFaulty };
}

describe('removing an object', () => {
  const remove = (removed: string[]) => async () => {
    removed.push('removed');
    return true;
  };

  test('removes an object that no entry needs', async () => {
    const { care, path } = await caring();
    const removed: string[] = [];
    expect([await care.remove(path, remove(removed)), removed]).toEqual(['removed', ['removed']]);
    expect(await care.remove(path, async () => false)).toBe('absent');
  });

  test('[R13] keeps an archive that a listed or superseded entry refers to', async () => {
    const { care, path, db, ledger, name } = await caring();
    await nameObjects(db, ledger, [name], 'now');
    const removed: string[] = [];
    expect([await care.remove(path, remove(removed)), removed]).toEqual(['kept', []]);
  });

  test('[R13] keeps all objects while an entry is unchecked, because the entry may need any of them', async () => {
    const { care, path, put, entryOf, pathOf } = await caring();
    await put(entryOf('other'));
    expect(await care.remove(path, async () => true)).toBe('kept');
    expect(await care.remove(pathOf('file/one'), async () => true)).toBe('kept');
    // No entry needs objects of the write-ahead log.
    expect(await care.remove(pathOf('wal/one'), async () => true)).toBe('removed');
  });

  test("[S2] considers only the entries of the object's ledger", async () => {
    const { care, id, put, entryOf, name } = await caring();
    await put(entryOf('archive'));
    expect(await care.remove(`${id.tenant}/another/${name}`, async () => true)).toBe('removed');
  });

  test('drops the cached presence of the removed object', async () => {
    const { care, path, presence, id, name, stored } = await caring();
    await presence.missing(id, [name], 60_000);
    await care.remove(path, async () => stored.delete(name));
    expect([...(await presence.missing(id, [name], 60_000))]).toEqual([name]);
  });

  test('[R3] fails when the store fails, and succeeds when it is repeated', async () => {
    const { care, path } = await caring();
    const failing = () => Promise.reject(new Error('the store does not answer'));
    await expect(care.remove(path, failing)).rejects.toThrow('the store does not answer');
    expect(await care.remove(path, async () => true)).toBe('removed');
  });
});

describe('the content of an object', () => {
  test("[R4] is compared with the object's name", async () => {
    const { care, path, pathOf } = await caring();
    expect([
      await care.content(path, BYTES),
      await care.content(path, Buffer.from('other')),
      await care.content(pathOf('file/of-no-hash'), BYTES),
    ]).toEqual(['right', 'wrong', 'unknown']);
  });
});

describe('an object that is stored', () => {
  test('[R13] is no longer faulty when the right bytes replace damaged bytes', async () => {
    const { care, path, db, ledger, name, now, isFaulty } = await caring();
    await markFaulty(db, ledger, name, now());
    expect(await care.isSuspect(path)).toBe(true);
    await care.stored(path, async () => false);
    expect(await isFaulty()).toBe(true);
    await care.stored(path, async () => true);
    expect([await isFaulty(), await care.isSuspect(path)]).toEqual([false, false]);
  });

  test('[R11] is read only when it was marked as faulty', async () => {
    const { care, path } = await caring();
    await care.stored(path, () => Promise.reject(new Error('read')));
  });

  test('[R13] makes the gateway list the entry that waited for it', async () => {
    const { care, put, entryOf, nameOf, pathOf, listings, id, stored } = await caring();
    const entry = entryOf('late');
    await put(entry);
    expect((await listings.read(id, 0, 10)).rows).toEqual([]);
    stored.add(nameOf('late'));
    await care.stored(pathOf(nameOf('late')), async () => true);
    expect((await listings.read(id, 0, 10)).rows.map(({ entry: one }) => one.cid)).toEqual([entry.cid]);
  });

  test('[R3] stays stored when the tables fail, and the failure is reported', async () => {
    const { care, path, db, reports } = await caring();
    await db.schema.dropTable('FaultyObjects').execute();
    await care.stored(path, async () => true);
    expect(reports).toHaveLength(1);
  });
});

describe('a download of a missing object', () => {
  test('[R13] withholds the entries that need the object, without delaying the client', async () => {
    const { care, path, put, entryOf, listings, id, name, stored, published } = await caring();
    await put(entryOf('archive'));
    expect((await listings.read(id, 0, 10)).rows).toHaveLength(1);
    published.length = 0;
    stored.delete(name);
    care.missing(path);
    await expect.poll(() => published).toEqual([id.ledger]);
    expect((await listings.read(id, 0, 10)).rows).toEqual([]);
  });
});

describe('an object that a client reports', () => {
  test('[R13] is read, and entries that need it are withheld if it is damaged', async () => {
    const { checkAll, contents, name, put, entryOf, listings, id, isFaulty } = await caring();
    await put(entryOf('archive'));
    contents.set(name, Buffer.from('damaged'));
    await checkAll(name);
    expect(await isFaulty()).toBe(true);
    const { rows, withheld } = await listings.read(id, 0, 10);
    expect([rows, withheld.map(({ why }) => why)]).toEqual([[], ['absent']]);
  });

  test('[S2] is not marked as faulty when the report is wrong', async () => {
    const { checkAll, name, isFaulty, published } = await caring();
    await checkAll(name);
    expect([await isFaulty(), published]).toEqual([false, []]);
  });

  test("[R13] counts as damaged when the store has it but can't read it", async () => {
    const { checkAll, contents, name, isFaulty } = await caring();
    contents.delete(name);
    await checkAll(name);
    expect(await isFaulty()).toBe(true);
  });

  test('[R13] counts as missing when the store no longer has it', async () => {
    const { checkAll, contents, stored, name, put, entryOf, listings, id, isFaulty } = await caring();
    await put(entryOf('archive'));
    await listings.look(id);
    contents.delete(name);
    stored.delete(name);
    await checkAll(name);
    expect(await isFaulty()).toBe(false);
    expect((await listings.read(id, 0, 10)).rows).toEqual([]);
  });

  test('[S2] is ignored when it belongs to another ledger or store', async () => {
    const { checkAll, published, lookups } = await caring();
    await checkAll('meta/main', '../other/car/x', 'car/..', '');
    expect([published, lookups]).toEqual([[], []]);
  });

  test('[R11] is read once when a report lists it twice, and not again once it is known as damaged', async () => {
    const { checkAll, contents, name } = await caring();
    contents.set(name, Buffer.from('damaged'));
    let reads = 0;
    const get = contents.get.bind(contents);
    contents.get = (of) => {
      reads += 1;
      return get(of);
    };
    await checkAll(name, name);
    await checkAll(name);
    expect(reads).toBe(1);
  });
});
