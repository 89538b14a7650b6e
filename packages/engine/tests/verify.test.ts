/**
 * Tests that `verify` finds damaged or lost data in the store of an open database, and counts
 * intact data.
 */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { BLOCK_ROW_BYTES } from '../src/archive/block-index.ts';
import { CID_BYTES, cidFromBytes } from '../src/codec/cid.ts';
import { LOOSE_MS } from '../src/commit/compaction/collect-files.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { budget, seed } from './budget.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { haveSameHead, world } from './sync-world.fixture.ts';

const DOCUMENTS = 12;
const SOUND = { damaged: [], missing: [], missingOfPast: 0, filesAbsent: 0 };

/**
 * Returns a database with documents, changes, deletions and a file. Its stored bytes are in
 * `values`.
 */
async function filled() {
  const { platform, values } = memoryPlatform();
  const db = openDatabase('verified', platform, { commitEachWrite: true });
  for (let n = 0; n < DOCUMENTS; n++) await db.put({ _id: `doc-${n}`, n });
  await db.put({ _id: 'doc-0', n: 'changed' });
  await db.del('doc-1');
  await db.put({ _id: 'doc-2', _files: { a: new File(['content'], 'a') } });
  return { db, values };
}

/** Returns an unencrypted database whose documents are stored in one archive with an index. */
async function inClear() {
  const { platform, values } = memoryPlatform();
  const writing = openDatabase('clear', platform, { encrypted: false, commitEachWrite: true });
  const text = 'text '.repeat(120);
  await writing.bulk(Array.from({ length: DOCUMENTS * 5 }, (_, n) => ({ _id: `doc-${n}`, text, n })));
  await writing.close();
  return {
    values,
    opened: () =>
      openDatabase('clear', memoryPlatform(values).platform, { encrypted: false, commitEachWrite: true }),
  };
}

const archivesIn = (values: ReadonlyMap<string, Uint8Array>) =>
  [...values.keys()].filter((key) => /^(car|commit)\//.test(key));

const readable = async (db: Database) => (await db.verify()).documents;

describe('verify', () => {
  test('finds no damage in an intact database, and counts its content', async () => {
    const { db } = await filled();
    const found = await db.verify();
    expect(found).toMatchObject({
      documents: DOCUMENTS - 1,
      events: DOCUMENTS + 4,
      damaged: [],
      missing: [],
    });
    expect(found.blocks).toBeGreaterThan(DOCUMENTS * 3);
    await db.compact();
    expect(await db.verify()).toMatchObject({ documents: DOCUMENTS - 1, archives: 1, ...SOUND });
    await db.close();
  });

  test('finds no damage in an empty database', async () => {
    const db = openDatabase('empty', memoryPlatform().platform);
    const nothing = { archives: 0, blocks: 0, bytes: 0, documents: 0, events: 0, files: 0, ...SOUND };
    const authors = { signers: [], unsigned: 0, unsignedFrom: [], badSignatures: [], backDated: [] };
    expect(await db.verify()).toEqual({ ...nothing, ...authors });
    await db.close();
  });

  test('[R4] finds each damaged archive, whichever byte changed', async () => {
    const { db, values } = await filled();
    const random = seededRandom(seed());
    for (const key of archivesIn(values)) {
      const sound = values.get(key) ?? new Uint8Array();
      for (let times = budget({ commit: 3, night: 100, release: 1000 }); times > 0; times--) {
        const changed = sound.slice();
        const at = random.below(changed.length);
        changed[at] = (changed[at] ?? 0) ^ (1 << random.below(8));
        values.set(key, changed);
        const { damaged } = await db.verify();
        expect(damaged.map(({ cid }) => cid)).toContain(key.slice(key.indexOf('/') + 1));
      }
      values.set(key, sound);
    }
    expect(await readable(db)).toBe(DOCUMENTS - 1);
    await db.close();
  });

  test('[R4] finds a changed byte anywhere in the header of an archive', async () => {
    const { db, values } = await filled();
    const [key = ''] = archivesIn(values);
    const sound = values.get(key) ?? new Uint8Array();
    for (let at = 0; at < 48; at++) {
      const changed = sound.slice();
      changed[at] = (changed[at] ?? 0) ^ 0x7f;
      values.set(key, changed);
      const { damaged } = await db.verify();
      expect(damaged.map(({ cid }) => cid)).toContain(key.slice(key.indexOf('/') + 1));
    }
    await db.close();
  });

  test('counts the other documents as readable when an archive is missing', async () => {
    const { db, values } = await filled();
    const [, , , , ofDoc3 = ''] = archivesIn(values);
    values.delete(ofDoc3);
    const { documents, missing, damaged } = await db.verify();
    expect(damaged).toEqual([]);
    expect(missing.length).toBeGreaterThan(0);
    expect(documents).toBe(DOCUMENTS - 2);
    await db.close();
  });

  test('distinguishes missing blocks of the past from missing blocks of the current state', async () => {
    const { platform, values, keys } = memoryPlatform();
    const first = openDatabase('past', platform, { commitEachWrite: true });
    await first.put({ _id: 'a', n: 1 });
    const [genesis] = archivesIn(values);
    await first.put({ _id: 'b', n: 2 });
    await first.put({ _id: 'a', n: 3 });
    await first.close();
    const [old = ''] = archivesIn(values).filter((key) => key !== genesis);
    values.delete(old);
    const db = openDatabase('past', memoryPlatform(values, keys).platform, { commitEachWrite: true });
    const { documents, missing, missingOfPast } = await db.verify();
    expect(documents).toBe(2);
    // The event of the deleted archive is missing, and the next trie lacks the archive's document.
    expect(missing).toHaveLength(1);
    expect(missingOfPast).toBeGreaterThan(0);
    await db.close();
  });

  test('counts each trie and each document of the past that compaction dropped', async () => {
    const here = world({ history: { commits: 1 }, commitEachWrite: true });
    const replica = here.replica();
    const sync = await replica.attach();
    for (let n = 0; n < 6; n++) await replica.db.put({ _id: 'a', n });
    await here.time.run(sync.synced());
    await here.time.run(replica.db.compact());
    const { db } = await replica.reopen();
    const dropped = (await db.history('a')).filter(({ isDropped }) => isDropped).length;
    expect(dropped).toBeGreaterThan(2);
    const { missing, missingOfPast } = await db.verify();
    expect([missing, missingOfPast]).toEqual([[], 2 * dropped]);
    await db.close();
  });

  test('[R8] reports no damage for archives that another tab merged or removed', async () => {
    const { platform, values, keys } = memoryPlatform();
    const db = openDatabase('shared', platform, { commitEachWrite: true });
    for (let n = 0; n < DOCUMENTS; n++) await db.put({ _id: `doc-${n}`, n });
    await db.put({ _id: 'file', _files: { a: new File(['content'], 'a') } });
    await db.del('file');
    const elsewhere = memoryPlatform(values, keys);
    const other = openDatabase('shared', elsewhere.platform, { commitEachWrite: true });
    await other.compact();
    await elsewhere.time.pass(LOOSE_MS);
    await other.compact();
    expect([...values.keys()].filter((key) => key.startsWith('file/'))).toEqual([]);
    expect(await db.verify()).toMatchObject({ documents: DOCUMENTS, archives: 1, files: 0, ...SOUND });
  });

  test('[R3] rejects with the failure of the store instead of reporting damage', async () => {
    const { platform } = memoryPlatform();
    const values = new Map<string, Uint8Array>();
    let isFailing = false;
    const inner = memoryStore(values);
    const read = async (key: string) => {
      if (isFailing) throw new FixpointError('STORE_FAILED', 'EIO');
      return inner.read(key);
    };
    const db = openDatabase(
      'failing',
      { ...platform, openStore: async () => ({ ...inner, read }) },
      { commitEachWrite: true },
    );
    await db.put({ _id: 'a' });
    isFailing = true;
    await expect(db.verify()).rejects.toMatchObject({ code: 'STORE_FAILED' });
    isFailing = false;
    expect(await db.verify()).toMatchObject({ documents: 1, ...SOUND });
  });

  test('[R4] finds a block in a second archive when the first one is damaged', async () => {
    const { platform, values } = memoryPlatform();
    const db = openDatabase('twice', platform, { commitEachWrite: true });
    for (const n of [1, 2, 1]) await db.put({ _id: 'a', n });
    const [, first = ''] = archivesIn(values);
    values.set(first, (values.get(first) ?? new Uint8Array()).slice(1));
    const { documents, damaged } = await db.verify();
    expect([documents, damaged.some(({ cid }) => first.endsWith(cid))]).toEqual([1, true]);
  });

  test('[R4] reports a block as damaged when the index has a wrong position for it', async () => {
    const { values, opened } = await inClear();
    const [name = ''] = [...values.keys()].filter((key) => key.startsWith('idx/'));
    const index = values.get(name) ?? new Uint8Array();
    const lowByte = 5 * BLOCK_ROW_BYTES + CID_BYTES + 3;
    index[lowByte] = (index[lowByte] ?? 0) ^ 1;
    const { documents, damaged } = await opened().verify();
    const cid = cidFromBytes(index.slice(5 * BLOCK_ROW_BYTES, 5 * BLOCK_ROW_BYTES + CID_BYTES));
    expect(damaged).toEqual([{ cid, why: expect.stringContaining('its place') }]);
    expect(documents).toBe(DOCUMENTS * 5 - 1);
  });

  test('[R4] reports an archive and its blocks as missing when only the index is left', async () => {
    const { values, opened } = await inClear();
    const db = opened();
    await db.ready();
    const [name = ''] = [...values.keys()].filter((key) => key.startsWith('car/'));
    values.delete(name);
    const { documents, damaged, missing } = await db.verify();
    expect([documents, damaged]).toEqual([0, []]);
    expect(missing).toContain(name.slice('car/'.length));
    expect(missing.length).toBeGreaterThan(1);
  });

  test('yields to other work while it runs', async () => {
    const { platform, time } = memoryPlatform();
    let [turns, ms] = [0, time.now()];
    const now = () => (ms += 20);
    const slow = { now, after: time.after, turn: async () => void turns++ };
    const db = openDatabase('slow', { ...platform, time: slow }, { commitEachWrite: true });
    for (let n = 0; n < DOCUMENTS; n++) await db.put({ _id: `doc-${n}` });
    const before = turns;
    expect(await db.verify()).toMatchObject({ documents: DOCUMENTS, ...SOUND });
    expect(turns - before).toBeGreaterThan(DOCUMENTS);
  });

  test('finds a damaged file and a missing file', async () => {
    const { db, values } = await filled();
    const [key = ''] = [...values.keys()].filter((name) => name.startsWith('file/'));
    const sound = values.get(key) ?? new Uint8Array();
    values.set(key, sound.slice(1));
    expect((await db.verify()).damaged).toEqual([
      { cid: key.slice('file/'.length), why: expect.stringContaining('corrupt') },
    ]);
    values.delete(key);
    const gone = { missing: [key.slice('file/'.length)], damaged: [] };
    expect(await db.verify()).toMatchObject(gone);
    await db.close();
  });

  test('[R4] reports damage, or rejects with CORRUPT, when a database is opened with a damaged archive', async () => {
    const { platform, values, keys } = memoryPlatform();
    const writing = openDatabase('damaged', platform, { commitEachWrite: true });
    await writing.put({ _id: 'a', text: 'hello' });
    await writing.put({ _id: 'b', text: 'hello' });
    await writing.close();
    for (const key of archivesIn(values)) {
      const sound = values.get(key) ?? new Uint8Array();
      values.set(key, sound.slice(1));
      const db = openDatabase('damaged', memoryPlatform(values, keys).platform, { commitEachWrite: true });
      const found = await db.verify().catch((cause: { code: string }) => cause.code);
      expect(found === 'CORRUPT' || (typeof found === 'object' && found.damaged.length > 0)).toBe(true);
      await db.close().catch(() => undefined);
      values.set(key, sound);
    }
  });

  test('finds no damage in replicas with concurrent writes', async () => {
    const { time, ...here } = world({ commitEachWrite: true });
    const [a, b] = [here.replica(), here.replica()];
    await Promise.all([a.attach(), b.attach()]);
    await a.db.put({ _id: 'both', of: 'a' });
    await b.db.put({ _id: 'both', of: 'b' });
    await b.db.put({ _id: 'only', of: 'b' });
    await time.until(async () => (await a.db.head()).length > 1 && (await haveSameHead([a, b])));
    for (const { db } of [a, b]) expect(await db.verify()).toMatchObject({ documents: 2, ...SOUND });
  });

  test('reports progress, and stops on a signal', async () => {
    const { db } = await filled();
    const told: number[] = [];
    await db.verify({ onProgress: (done, all) => told.push(done / all) });
    expect(told.length).toBeGreaterThan(DOCUMENTS);
    expect(told).toEqual(told.toSorted((one, other) => one - other));
    expect(told.at(-1)).toBe(1);
    const stop = new AbortController();
    const stopped = db.verify({ onProgress: () => stop.abort(new Error('enough')), signal: stop.signal });
    await expect(stopped).rejects.toThrow('enough');
    await db.close();
  });
});
