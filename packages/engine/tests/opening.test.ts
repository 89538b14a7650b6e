/**
 * Tests databases that are large enough to be opened through the rows that are derived from their
 * archives (docs/decisions/0209): with and without these rows, all calls have the same results.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../src/database/open.ts';
import type { Database } from '../src/entries/node.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { long } from './budget.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

const DOCUMENTS = 5000;
const DERIVED = /^local\/(first|places)/;
const idOf = (n: number) => `doc-${(n * 7919) % DOCUMENTS}`;
const documentOf = (n: number, version = 0) => ({
  _id: idOf(n),
  n,
  rank: n % 100,
  note: `version ${version}: ${'some text that gives the document a length '.repeat(4)}`,
});

const stored = {
  values: new Map<string, Uint8Array>(),
  keys: new Map<string, readonly Uint8Array[]>(),
  head: [] as Awaited<ReturnType<Database['head']>>,
};

beforeAll(async () => {
  const { platform, values, keys } = memoryPlatform();
  const db = openDatabase('large', { ...platform, openingLimits: undefined });
  for (let from = 0; from < DOCUMENTS; from += 1000)
    await db.bulk(Array.from({ length: 1000 }, (_, n) => documentOf(from + n)));
  const head = await db.head();
  await db.put(documentOf(17, 1));
  await db.close();
  Object.assign(stored, { values, keys, head });
});

/** Opens a copy of the database, and lists the archives' indexes that it reads. */
function opened(change: (values: Map<string, Uint8Array>) => void = () => undefined) {
  const copy = new Map(stored.values);
  change(copy);
  const { platform, time } = memoryPlatform(copy, new Map(stored.keys));
  const read: string[] = [];
  const store = memoryStore(copy);
  const watched = {
    ...store,
    read: (key: string) => {
      if (key.startsWith('idx/')) read.push(key);
      return store.read(key);
    },
    readPrefix: (prefix: string) => {
      if (prefix === 'idx/') read.push(prefix);
      return store.readPrefix(prefix);
    },
  };
  const db = openDatabase('large', { ...platform, openingLimits: undefined, openStore: async () => watched });
  return { db, read, time, values: copy };
}

const withoutRows = (values: Map<string, Uint8Array>) => {
  for (const key of values.keys()) if (DERIVED.test(key)) values.delete(key);
};

/** All kinds of reads. */
const READS: Readonly<Record<string, (db: Database) => Promise<unknown>>> = {
  get: (db) => db.get(idOf(17)),
  allDocs: async (db) => (await db.allDocs()).rows,
  query: async (db) => (await db.query('rank', { range: [7, 8] })).rows,
  find: async (db) => (await db.find({ where: { rank: 7 } })).docs,
  changes: async (db) => (await db.changes(stored.head)).rows,
  'an earlier version': (db) => db.at(stored.head).get(idOf(17)),
  'the history of a document': (db) => db.history(idOf(17)),
  events: (db) => db.events({ limit: 3 }),
  'a proof': (db) => db.prove(idOf(17)),
  verify: (db) => db.verify(),
};

describe('opening a large database', long, () => {
  test('[R11] reads no index for gets, puts and the next open', async () => {
    expect([...stored.values.keys()].filter((key) => DERIVED.test(key)).length).toBeGreaterThan(2);
    const { db, read, values } = opened();
    for (let n = 0; n < DOCUMENTS; n += 97) expect((await db.get(idOf(n)))['n']).toBe(n);
    await db.put(documentOf(18, 1));
    await db.close();
    expect(read).toEqual([]);
    const again = opened((copy) => values.forEach((bytes, key) => void copy.set(key, bytes)));
    expect((await again.db.get(idOf(18)))['note']).toContain('version 1');
    expect(again.read).toEqual([]);
    await again.db.close();
  });

  test.each(Object.keys(READS))(
    '[R6] returns the same for %s with these rows, without them and with damaged ones',
    async (name) => {
      const read = READS[name] as (db: Database) => Promise<unknown>;
      const results: unknown[] = [];
      for (const change of [
        withoutRows,
        undefined,
        (values: Map<string, Uint8Array>) => {
          for (const [key, bytes] of values)
            if (DERIVED.test(key))
              values.set(
                key,
                bytes.map((byte, at) => (at === bytes.length >> 1 ? byte ^ 1 : byte)),
              );
        },
      ]) {
        const { db } = opened(change);
        results.push(await read(db));
        await db.close();
      }
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
    },
  );

  test('[R9] stores no rows when it is destroyed', async () => {
    const { platform, values } = memoryPlatform();
    const written: string[] = [];
    const store = memoryStore(values);
    const watched = {
      ...store,
      write: (...given: Parameters<typeof store.write>) => {
        written.push(...given[0].map(({ key }) => key));
        return store.write(...given);
      },
    };
    const db = openDatabase('small', { ...platform, openStore: async () => watched });
    await db.bulk(Array.from({ length: 100 }, (_, n) => documentOf(n)));
    await db.destroy();
    expect(written.filter((key) => DERIVED.test(key))).toEqual([]);
  });

  test('[R9] closes in a few seconds while the store does not answer, as when a frozen tab leads', async () => {
    const { platform, values, time } = memoryPlatform();
    const store = memoryStore(values);
    let hangs = false;
    const never = new Promise<never>(() => undefined);
    const hanging = {
      ...store,
      read: (key: string) => (hangs ? never : store.read(key)),
      keys: (prefix: string) => (hangs ? never : store.keys(prefix)),
      write: (...given: Parameters<typeof store.write>) => (hangs ? never : store.write(...given)),
    };
    const db = openDatabase('small', { ...platform, openStore: async () => hanging });
    await db.bulk(Array.from({ length: 100 }, (_, n) => documentOf(n)));
    await db.query('rank');
    hangs = true;
    const before = time.now();
    await time.run(db.close());
    expect(time.now() - before).toBe(7000);
  });

  test('[R8] loses no block in a compaction, and stores the rows of the new archives', async () => {
    const { db, values } = opened();
    await db.bulk(Array.from({ length: 500 }, (_, n) => documentOf(n, 2)));
    await db.compact();
    await db.close();
    const next = opened((copy) => {
      copy.clear();
      for (const [key, bytes] of values) copy.set(key, bytes);
    });
    for (let n = 0; n < DOCUMENTS; n += 61)
      expect((await next.db.get(idOf(n)))['note']).toContain(`version ${n < 500 ? 2 : 0}`);
    expect(next.read).toEqual([]);
    expect(await next.db.verify()).toMatchObject({ documents: DOCUMENTS, damaged: [], missing: [] });
    await next.db.close();
  });
});
