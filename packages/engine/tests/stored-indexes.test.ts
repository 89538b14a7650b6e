import { FixpointError } from '@fixpoint/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database, MapFunction } from '../src/database/database.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { copyOf, type IndexWorld, indexRows, indexWorld, openIn, spy } from './index-world.fixture.ts';
import { type Fields, rowsOf } from './query-rows.fixture.ts';

const RUNS = budget({ commit: 200, night: 20_000, release: 200_000 });
const byN: MapFunction = (doc: { n: number }) => doc.n;
const BY_N = '(doc) => doc.n';
const SAVED_MS = 1000;

const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({
    _id: `doc-${String(from + at).padStart(5, '0')}`,
    n: from + at,
  }));

async function filled(count: number): Promise<{ here: IndexWorld; db: Database }> {
  const here = indexWorld();
  const db = openIn(here);
  await db.bulk(numbered(count));
  return { here, db };
}

const idsOf = async (db: Database, map: MapFunction | string, range?: readonly [number, number]) =>
  (await db.query(map, { includeDocs: false, ...(range && { range }) })).rows.map(({ id }) => id);

/**
 * Expects that a query returns the rows of the current documents. Compares again if the head moved
 * between the two reads, because a change of the other tab arrived.
 */
async function expectAll(db: Database, map: string | MapFunction = 'n'): Promise<void> {
  const { rows: all, clock } = await db.allDocs();
  const { rows } = await db.query(map, { includeDocs: false });
  if ((await db.head()).join() !== clock.join()) return expectAll(db, map);
  expect(rows).toEqual(rowsOf(map, new Map(all.map(({ key, value }) => [key, value as Fields]))));
}

describe('a stored index', () => {
  test('returns rows after reopening without mapping a document', async () => {
    const { here, db } = await filled(300);
    await db.query(spy(BY_N, byN).map);
    await db.close();
    const again = openIn(here);
    const { map, seen } = spy(BY_N, byN);
    expect(await idsOf(again, map, [7, 8])).toEqual(['doc-00007', 'doc-00008']);
    expect(seen).toEqual([]);
    await again.bulk([
      { _id: 'doc-00007', n: -1 },
      { _id: 'new', n: 7 },
    ]);
    await again.del('doc-00008');
    expect(await idsOf(again, map, [-1, 8])).toEqual([
      'doc-00007',
      ...numbered(7).map(({ _id }) => _id),
      'new',
    ]);
    expect(seen.sort()).toEqual(['doc-00007', 'new']);
    expect(here.reports).toEqual([]);
  });

  test('[R9] loads the version that another tab saves during the load, and reports no damage', async () => {
    const { here, db } = await filled(300);
    await db.query('n');
    await db.close();
    const other = openIn(here);
    await other.query('n');
    const packs = indexRows(here.values).filter((key) => key.includes('/places/'));
    here.beforeRead = async (key) => {
      if (!packs.includes(key)) return;
      here.beforeRead = () => undefined;
      await other.bulk(numbered(300).map((doc) => ({ ...doc, n: doc.n + 1 })));
      await other.query('n');
      await here.time.pass(SAVED_MS);
      expect(packs.filter((pack) => here.values.has(pack))).toEqual([]);
    };
    await expectAll(openIn(here));
    expect(here.reports).toEqual([]);
  });

  test('reads only the packs with the requested rows', async () => {
    const { here, db } = await filled(5000);
    await db.query('n');
    await db.close();
    const packs = indexRows(here.values).filter((key) => key.includes('/nodes/'));
    expect(packs.length).toBeGreaterThan(3);
    here.reads.length = 0;
    expect(await idsOf(openIn(here), 'n', [2000, 2010])).toHaveLength(11);
    expect(here.reads.filter((key) => key.includes('/nodes/')).length).toBeLessThanOrEqual(2);
  });

  test('saves only new nodes, after returning the result, and saves the changes of several queries at once', async () => {
    const { here, db } = await filled(3000);
    const written = () =>
      here.writes.flat().filter(({ key, bytes }) => key.startsWith('local/index/') && bytes !== undefined);
    await idsOf(db, 'n');
    expect(written()).toEqual([]);
    await here.time.pass(SAVED_MS);
    const whole = written().reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0);
    here.writes.length = 0;
    for (let at = 0; at < 5; at++) {
      await db.put({ _id: 'doc-00100', n: 100 + at / 10 });
      await idsOf(db, 'n');
    }
    await here.time.pass(SAVED_MS);
    expect(written().filter(({ key }) => key.endsWith('/record'))).toHaveLength(1);
    expect(written().reduce((sum, { bytes }) => sum + (bytes?.length ?? 0), 0)).toBeLessThan(whole / 10);
    here.writes.length = 0;
    await idsOf(db, 'n');
    await here.time.pass(SAVED_MS);
    expect(here.writes).toEqual([]);
  });

  test('is rebuilt when the text of its map function differs', async () => {
    const { here, db } = await filled(10);
    await db.query(spy(BY_N, byN).map);
    await db.close();
    const again = openIn(here);
    const { map, seen } = spy('(doc) => -doc.n', (doc: { n: number }) => -doc.n);
    expect((await idsOf(again, map))[0]).toBe('doc-00009');
    expect(seen).toHaveLength(10);
  });

  test('is not stored for a function that uses more than its arguments', async () => {
    const { here, db } = await filled(10);
    const factor = -1;
    expect((await idsOf(db, (doc) => doc.n * factor))[0]).toBe('doc-00009');
    await db.close();
    expect(indexRows(here.values)).toEqual([]);
  });

  test('is removed when fifty other indexes were used more recently', async () => {
    const { here, db } = await filled(3);
    for (let at = 0; at < 54; at++) {
      await db.query(`field-${at}`);
      await here.time.pass(SAVED_MS);
    }
    await db.close();
    const records = indexRows(here.values).filter((key) => key.endsWith('/record'));
    expect(records).toHaveLength(50);
    const { map, seen } = spy(BY_N, byN);
    const again = openIn(here);
    await again.query(map);
    expect(seen).toHaveLength(3);
    await again.close();
    expect(indexRows(here.values).filter((key) => key.endsWith('/record'))).toHaveLength(50);
    expect(new Set(indexRows(here.values).map((key) => key.split('/')[2])).size).toBe(50);
  });

  test('doesn’t grow with the number of past changes', async () => {
    const { here, db } = await filled(2000);
    const bytes = () =>
      indexRows(here.values).reduce((sum, key) => sum + (here.values.get(key)?.length ?? 0), 0);
    await idsOf(db, 'n');
    await here.time.pass(SAVED_MS);
    const first = bytes();
    for (let round = 1; round < 60; round++) {
      await db.bulk(numbered(100, (round * 137) % 1900).map(({ _id, n }) => ({ _id, n: n + round / 100 })));
      await idsOf(db, 'n');
      await here.time.pass(SAVED_MS);
      expect(bytes()).toBeLessThan(first * 2.5);
    }
    await db.close();
    await expectAll(openIn(here));
    expect(here.reports).toEqual([]);
  });

  test('stays in memory while the store is full, and is stored later', async () => {
    const { here, db } = await filled(100);
    here.beforeWrite = (changes) => {
      if (changes.some(({ key }) => key.startsWith('local/'))) throw new FixpointError('STORE_FULL');
    };
    expect(await idsOf(db, 'n')).toHaveLength(100);
    await here.time.pass(SAVED_MS);
    expect(here.reports).toMatchObject([{ code: 'STORE_FULL' }]);
    expect(indexRows(here.values)).toEqual([]);
    await expectAll(db);
    here.beforeWrite = () => undefined;
    await db.put({ _id: 'more', n: 1 });
    await idsOf(db, 'n');
    await db.close();
    const { map, seen } = spy(BY_N, byN);
    expect(indexRows(here.values).length).toBeGreaterThan(0);
    await openIn(here).query(map);
    expect(seen).toHaveLength(101);
  });

  test('[R9] stays correct when two tabs change and save it', async () => {
    const { here, db } = await filled(1500);
    const tabs = [db, openIn(here)];
    for (let round = 0; round < 12; round++) {
      for (const [at, tab] of tabs.entries()) {
        const changed = numbered(60, (round * 211 + at * 97) % 1400);
        await tab.bulk(changed.map(({ _id, n }) => ({ _id, n: n + (round + 1) / 100 })));
        // The second tab queries less often, so its index is older than that of the first tab.
        if (at === 0 || round % 4 === 3) await expectAll(tab);
      }
      await here.time.pass(SAVED_MS);
      if (round % 4 === 3) {
        await tabs[1]?.close();
        tabs[1] = openIn(here);
        await expectAll(tabs[1]);
      }
    }
    for (const tab of tabs) await expectAll(tab);
    for (const tab of tabs) await tab.close();
    await expectAll(openIn(here));
    expect(here.reports).toEqual([]);
  });

  test('[R1] returns the right rows, even if the process ended before any one of its writes', async () => {
    const { here, db } = await filled(1500);
    await idsOf(db, 'n');
    await here.time.pass(SAVED_MS);
    await db.bulk(numbered(600, 700).map(({ _id, n }) => ({ _id, n: -n })));
    await idsOf(db, 'n');
    const ends: Map<string, Uint8Array>[] = [];
    here.beforeWrite = () => void ends.push(copyOf(here.values));
    await db.close();
    expect(ends.length).toBeGreaterThan(1);
    for (const values of [...ends, here.values]) {
      const there = indexWorld(values, here.bag);
      await expectAll(openIn(there));
      expect(there.reports).toEqual([]);
    }
  });
});

type Damage = 'flip' | 'cut' | 'zero' | 'gone' | 'other' | 'older';
const KINDS: readonly Damage[] = ['flip', 'cut', 'zero', 'gone', 'other', 'older'];

function damage(
  values: Map<string, Uint8Array>,
  older: ReadonlyMap<string, Uint8Array>,
  kind: Damage,
  pick: number,
) {
  const keys = indexRows(values);
  const key = keys[pick % keys.length];
  const bytes = key === undefined ? undefined : values.get(key);
  if (key === undefined || bytes === undefined) return;
  const other = values.get(keys[(pick * 7 + 1) % keys.length] ?? key) ?? bytes;
  const changed = bytes.slice();
  changed[pick % changed.length] = (changed[pick % changed.length] ?? 0) ^ (1 << (pick % 8));
  const after: Record<Damage, Uint8Array | undefined> = {
    flip: changed,
    cut: bytes.slice(0, pick % bytes.length),
    zero: new Uint8Array(bytes.length),
    gone: undefined,
    other: other.slice(),
    older: older.get(key)?.slice() ?? bytes,
  };
  const put = after[kind];
  if (put === undefined) values.delete(key);
  else values.set(key, put);
}

describe('[R4] stored rows of an index', () => {
  const id = fc.integer({ min: 0, max: 60 }).map((n) => `d${n}`);
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('put' as const),
        ids: fc.array(id, { maxLength: 40 }),
        n: fc.nat(9),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('del' as const), id }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('query' as const), tab: fc.nat(1) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pass' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen' as const), tab: fc.nat(1) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('damage' as const),
        kind: fc.constantFrom(...KINDS),
        pick: fc.nat(100_000),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
  );

  test('returns the right rows when index rows are damaged, older, or changed by another tab', {
    timeout: patienceMs(),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
        const here = indexWorld();
        const tabs = [openIn(here)];
        await tabs[0]?.ready();
        tabs.push(openIn(here));
        const tab = (at: number) => tabs[at] as Database;
        let older = copyOf(here.values);
        for (const one of steps) {
          if (one.do === 'put')
            await tab(0).bulk(
              one.ids.map((_id, at) => ({ _id, n: one.n * at, m: [one.n], words: `${one.n}`.repeat(100) })),
            );
          else if (one.do === 'del') await tab(0).del(one.id);
          else if (one.do === 'query')
            await Promise.all([expectAll(tab(one.tab)), expectAll(tab(one.tab), 'words')]);
          else if (one.do === 'pass') await here.time.pass(SAVED_MS);
          else if (one.do === 'compact') await here.time.run(tab(1).compact());
          else if (one.do === 'damage') {
            damage(here.values, older, one.kind, one.pick);
            older = copyOf(here.values);
          } else if (one.do === 'restore') {
            // Combines older indexes with the current documents.
            for (const key of indexRows(here.values)) here.values.delete(key);
            for (const key of indexRows(older))
              here.values.set(key, older.get(key)?.slice() ?? new Uint8Array());
          } else {
            await here.time.run(tab(one.tab).close());
            tabs[one.tab] = openIn(here);
          }
        }
        for (const db of tabs) await expectAll(db, 'm');
        for (const db of tabs) await expectAll(db);
        if (steps.every((one) => one.do !== 'damage' && one.do !== 'restore'))
          expect(here.reports).toEqual([]);
        for (const report of here.reports) expect(report).toMatchObject({ code: 'CORRUPT' });
      }),
      { numRuns: RUNS, seed: seed() },
    );
  });

  test('ignores an index of a later head than the current one', async () => {
    const { here, db } = await filled(5);
    await db.head();
    const before = copyOf(here.values);
    await db.put({ _id: 'later', n: 99 });
    await idsOf(db, 'n');
    await db.close();
    here.values.set('head', before.get('head') ?? new Uint8Array());
    expect(await idsOf(openIn(here), 'n')).toEqual(numbered(5).map(({ _id }) => _id));
  });

  test('ignores a record that belongs to another index', async () => {
    const { here, db } = await filled(5);
    const recordNow = () => indexRows(here.values).filter((key) => key.endsWith('/record'));
    await idsOf(db, 'n');
    await here.time.pass(SAVED_MS);
    const [record = ''] = recordNow();
    // An index without rows has no packs, so its record is complete by itself under any key.
    await idsOf(db, 'absent');
    await db.close();
    const [empty = ''] = recordNow().filter((key) => key !== record);
    here.values.set(record, here.values.get(empty) ?? new Uint8Array());
    await expectAll(openIn(here));
  });

  test('reports a damaged index once, and stores the rebuilt index', async () => {
    const { here, db } = await filled(50);
    await db.query(spy(BY_N, byN).map);
    await db.close();
    damage(
      here.values,
      new Map(),
      'flip',
      indexRows(here.values).findIndex((key) => key.endsWith('/record')),
    );
    const second = spy(BY_N, byN);
    const again = openIn(here);
    await again.query(second.map);
    await again.close();
    expect(second.seen).toHaveLength(50);
    expect(here.reports).toMatchObject([{ code: 'CORRUPT' }]);
    const third = spy(BY_N, byN);
    await openIn(here).query(third.map);
    expect(third.seen).toEqual([]);
    expect(here.reports).toHaveLength(1);
  });
});

test('lets writes run during a long build', async () => {
  const here = indexWorld();
  let now = 0;
  const db = openIn(here, {
    ...here.time,
    now: () => now++,
    turn: () => new Promise((resolve) => setImmediate(resolve)),
  });
  await db.bulk(numbered(3000));
  let isBuilt = false;
  const building = db.query('n').then(() => {
    isBuilt = true;
  });
  await db.put({ _id: 'meanwhile', n: 1 });
  expect(isBuilt).toBe(false);
  await building;
  await expectAll(db);
});
