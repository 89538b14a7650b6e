import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Database, DatabaseOptions, FindOptions, IndexDeclaration } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { copyOf, type IndexWorld, indexRows, indexWorld, NAME, type Values } from './index-world.fixture.ts';

const INDEXES: readonly IndexDeclaration[] = ['n', ['kind', 'n'], 'tags[]'];
/** Longer than the delay after which declared indexes are saved. */
const SAVED_MS = 3000;

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({
    _id: `doc-${String(from + at).padStart(5, '0')}`,
    n: (from + at) % 50,
    kind: (from + at) % 3 === 0 ? 'a' : 'b',
    tags: [`t${at % 5}`],
  }));

const openIn = (here: IndexWorld, indexes: DatabaseOptions['indexes'] = INDEXES): Database =>
  openDatabase(NAME, here.platform(), { indexes });

const SEARCHES: readonly FindOptions[] = [
  { where: { n: { gte: 10, lt: 20 } } },
  { where: { kind: 'a' }, sort: { n: 'desc' } },
  { where: { 'tags[]': 't3' } },
];

/** Expects that searches with indexes find what a filter of all documents finds. */
async function expectRight(db: Database): Promise<void> {
  const docs = (await db.allDocs<{ n: number; kind: string; tags: string[] }>()).rows.map(
    ({ value }) => value,
  );
  const idsOf = (found: readonly { _id: string }[]) => found.map(({ _id }) => _id);
  const [byRange, byKind, byTag] = await Promise.all(SEARCHES.map((search) => db.find(search)));
  expect(idsOf(byRange?.docs ?? [])).toEqual(idsOf(docs.filter(({ n }) => n >= 10 && n < 20)));
  expect(idsOf(byKind?.docs ?? [])).toEqual(
    idsOf(docs.filter(({ kind }) => kind === 'a').sort((a, b) => b.n - a.n || (a._id < b._id ? 1 : -1))),
  );
  expect(idsOf(byTag?.docs ?? [])).toEqual(idsOf(docs.filter(({ tags }) => tags.includes('t3'))));
}

const usedBy = async (db: Database) =>
  (await Promise.all(SEARCHES.map((search) => db.explain(search)))).map(({ indexes }) => indexes.length);

describe('a declared index', () => {
  test('is updated and saved after commits, without a search', async () => {
    const here = indexWorld();
    const db = openIn(here);
    await db.bulk(numbered(300));
    await here.time.pass(SAVED_MS);
    const records = () => indexRows(here.values).filter((key) => key.endsWith('/record'));
    expect(records()).toHaveLength(3);
    const before = records().map((key) => here.values.get(key)?.join());
    await db.put({ _id: 'new', n: 15, kind: 'a', tags: ['t3'] });
    await here.time.pass(SAVED_MS);
    for (const [at, key] of records().entries()) expect(here.values.get(key)?.join()).not.toBe(before[at]);
    await expectRight(db);
    expect(here.reports).toEqual([]);
  });

  test('is saved at once when it is built from documents, because the page may close soon', async () => {
    const here = indexWorld();
    const db = openIn(here, []);
    await db.bulk(numbered(300));
    await db.head();
    const declaring = openIn(here);
    await declaring.ready();
    // The update begins 20 ms later.
    await here.time.pass(100);
    expect(await usedBy(declaring)).toEqual([1, 1, 1]);
    expect(indexRows(here.values).filter((key) => key.endsWith('/record'))).toHaveLength(3);
    expect(here.reports).toEqual([]);
  });

  test('is updated when the database closes, so that the next open reads no documents for it', async () => {
    const here = indexWorld();
    const db = openIn(here);
    await db.bulk(numbered(300));
    await db.close();
    const again = openIn(here);
    await again.ready();
    here.writes.length = 0;
    expect(await usedBy(again)).toEqual([1, 1, 1]);
    await expectRight(again);
    await here.time.pass(SAVED_MS);
    // An index that had to be updated would be saved.
    expect(here.writes).toEqual([]);
  });

  test('[R1] returns correct results, whichever write was the last before a crash', async () => {
    const here = indexWorld();
    const db = openIn(here);
    const crashes: Values[] = [];
    here.beforeWrite = () => void crashes.push(copyOf(here.values));
    for (let round = 0; round < 4; round++) {
      await db.bulk(numbered(120, round * 60));
      await db.del(`doc-${String(round * 7).padStart(5, '0')}`);
      await here.time.pass(SAVED_MS);
    }
    await db.close();
    expect(crashes.length).toBeGreaterThan(20);
    for (const values of crashes) {
      const after = indexWorld(values, here.bag);
      const reopened = openIn(after);
      await expectRight(reopened);
      await after.time.pass(SAVED_MS);
      expect(await usedBy(reopened)).toEqual([1, 1, 1]);
      await expectRight(reopened);
      expect(after.reports).toEqual([]);
      await reopened.close();
    }
  });

  test('[R4] is rebuilt when any byte of its rows is damaged; results during the rebuild are correct', async () => {
    const here = indexWorld();
    const db = openIn(here);
    await db.bulk(numbered(200));
    await db.close();
    for (const key of indexRows(here.values)) {
      const values = copyOf(here.values);
      const bytes = values.get(key) as Uint8Array;
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
      const damaged = indexWorld(values, here.bag);
      const reopened = openIn(damaged);
      await expectRight(reopened);
      await damaged.time.pass(SAVED_MS);
      await expectRight(reopened);
      expect(await usedBy(reopened)).toEqual([1, 1, 1]);
      expect(damaged.reports).toMatchObject(damaged.reports.map(() => ({ code: 'CORRUPT' })));
      await reopened.close();
    }
  });

  test('[R9] stays correct when two tabs write, and one of them declares other indexes', async () => {
    const here = indexWorld();
    const tabs = [openIn(here), openIn(here, ['n', 'kind'])];
    for (let round = 0; round < 12; round++) {
      for (const [at, tab] of tabs.entries()) {
        await tab.bulk(numbered(40, (round * 211 + at * 97) % 1400));
        if ((round + at) % 3 === 0) await here.time.pass(SAVED_MS);
        if (round % 2 === at) await expectRight(tab);
      }
    }
    await here.time.pass(SAVED_MS);
    for (const tab of tabs) await expectRight(tab);
    for (const tab of tabs) await tab.close();
    expect(here.reports).toEqual([]);
  });

  test('[R9] returns correct results while the database is compacted', async () => {
    const here = indexWorld();
    const db = openIn(here);
    for (let round = 0; round < 10; round++) {
      await db.bulk(numbered(100, round * 30));
      const compacted = db.compact();
      await expectRight(db);
      await here.time.run(compacted);
      await here.time.pass(30);
    }
    await expectRight(db);
    expect(here.reports).toEqual([]);
  });

  test('is used and kept current by a tool that opens the database with the stored indexes', async () => {
    const here = indexWorld();
    const app = openIn(here);
    await app.bulk(numbered(300));
    await here.time.pass(SAVED_MS);
    const tool = openIn(here, 'stored');
    expect(await usedBy(tool)).toEqual([1, 1, 1]);
    await tool.put({ _id: 'new', n: 15, kind: 'a', tags: ['t3'] });
    await expectRight(tool);
    await expectRight(app);
    const empty = openIn(indexWorld(), 'stored');
    expect(await usedBy(empty)).toEqual([0, 0, 0]);
  });

  test('is listed with its fields, whether it is built or not', async () => {
    const here = indexWorld();
    const app = openIn(here, ['n', { text: ['kind'] }, { fields: ['kind', 'n'], prefix: 'doc-' }]);
    await app.bulk(numbered(300));
    const ready = (isReady: boolean) => [
      { kind: 'fields', fields: ['n'], prefix: '', isReady },
      { kind: 'text', fields: ['kind'], prefix: '', isReady },
      { kind: 'fields', fields: ['kind', 'n'], prefix: 'doc-', isReady },
    ];
    await here.time.pass(SAVED_MS);
    expect((await app.explain()).declared).toEqual(ready(true));
    expect((await app.explain({ where: { n: 1 } })).declared).toEqual(ready(true));
    await app.close();
    const platform = here.platform();
    const tool = openDatabase(NAME, platform, { indexes: 'stored' });
    const { declared } = await tool.explain();
    expect(declared).toHaveLength(3);
    expect(declared).toEqual(expect.arrayContaining(ready(true)));
    const adding = openDatabase(NAME, platform, { indexes: ['kind'] });
    const [added, ...others] = (await adding.explain()).declared.toReversed();
    expect(others).toHaveLength(3);
    expect(added).toEqual({ kind: 'fields', fields: ['kind'], prefix: '', isReady: false });
  });

  test('stays current in memory while the store is full', async () => {
    const here = indexWorld();
    const db = openIn(here);
    await db.bulk(numbered(100));
    here.beforeWrite = (changes) => {
      if (changes.some(({ key }) => key.startsWith('local/'))) throw new FixpointError('STORE_FULL');
    };
    await db.put({ _id: 'new', n: 15, kind: 'a', tags: ['t3'] });
    await here.time.pass(SAVED_MS);
    await expectRight(db);
    expect(await usedBy(db)).toEqual([1, 1, 1]);
    expect(here.reports).toMatchObject(here.reports.map(() => ({ code: 'STORE_FULL' })));
  });
});
