/** Compares windows, counts, cursors and streams with a list of the same documents. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database, DatabaseOptions } from '../src/database/database.ts';
import { type Rows, rowsOf } from '../src/database/database-rows.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { systemTime } from '../src/platform/system.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import type { Cell } from '../src/rows/preview.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

/** Opens a database whose sliced work yields to the real event loop. */
function openRows(options: DatabaseOptions = {}): {
  db: Database;
  rows: Rows;
  values: Map<string, Uint8Array>;
  again(): Database;
} {
  const { platform, values, keys } = memoryPlatform();
  const turning = {
    ...platform,
    time: { ...platform.time, turn: () => systemTime.turn?.() ?? Promise.resolve() },
  };
  const db = openDatabase('rows', turning, options);
  const again = () => openDatabase('rows', memoryPlatform(values, keys).platform);
  return { db, rows: rowsOf(db), values, again };
}

async function all<T>(parts: AsyncIterable<readonly T[]>): Promise<T[]> {
  const found: T[] = [];
  for await (const part of parts) found.push(...part);
  return found;
}

const idsOf = ({ rows }: { rows: readonly { id: string }[] }) => rows.map(({ id }) => id);
const name = (n: number) => `doc-${String(n).padStart(5, '0')}`;

describe('windows', () => {
  test('returns parts of a sorted list for any ids, written and deleted in any order', async () => {
    const id = fc.stringMatching(/^[ -~]{1,4}$/);
    const step = fc.record({ id, del: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.array(fc.record({ offset: fc.nat(45), limit: fc.nat(12), after: id, descending: fc.boolean() }), {
          minLength: 3,
          maxLength: 3,
        }),
        async (steps, asked) => {
          const { db, rows } = openRows();
          const live = new Set<string>();
          for (const { id: key, del } of steps) {
            await (del ? db.del(key) : db.put({ _id: key }));
            if (del) live.delete(key);
            else live.add(key);
          }
          const ids = [...live].sort();
          expect(await rows.count()).toBe(ids.length);
          for (const { offset, limit, after, descending } of asked) {
            const ordered = descending ? ids.toReversed() : ids;
            const atOffset = await rows.window({ offset, limit, descending });
            expect(idsOf(atOffset)).toEqual(ordered.slice(offset, offset + limit));
            const behind = ordered.filter((key) => (descending ? key < after : key > after)).slice(0, limit);
            const anchored = await rows.window({ after, limit, descending });
            expect(idsOf(anchored)).toEqual(behind);
            expect(anchored.total).toBe(ids.length);
            if (behind[0] !== undefined) expect(anchored.at).toBe(ordered.indexOf(behind[0]));
          }
          await db.close();
        },
      ),
      { numRuns: 30, seed: 7 },
    );
  });

  test('keeps rows after an anchor in place while documents before the anchor are written', async () => {
    const { db, rows } = openRows();
    await db.bulk(Array.from({ length: 50 }, (_, n) => ({ _id: name(n) })));
    await rows.count();
    const before = await rows.window({ after: name(9), limit: 5 });
    await db.put({ _id: 'aaa' });
    const later = await rows.window({ after: name(9), limit: 5 });
    expect(idsOf(later)).toEqual(idsOf(before));
    expect(later.at).toBe(11);
    expect(await rows.count()).toBe(51);
  });

  test('returns the first window after opening without waiting for the count', async () => {
    const { db, rows, again } = openRows();
    await db.bulk(Array.from({ length: 300 }, (_, n) => ({ _id: name(n) })));
    await rows.count();
    await db.close();
    const reopened = rowsOf(again());
    const first = await reopened.window({ limit: 3 });
    expect(idsOf(first)).toEqual([name(0), name(1), name(2)]);
    expect(first.total).toBeUndefined();
    expect(await reopened.count()).toBe(300);
    expect((await reopened.window({ limit: 3 })).total).toBe(300);
  });

  test('returns previews of the requested fields as cells', async () => {
    const { db, rows } = openRows();
    await db.put({
      _id: 'a',
      title: 'x'.repeat(300),
      n: 3,
      list: [1, 'two', { three: null }],
      pair: `${'y'.repeat(255)}😀`,
    });
    await db.put({ _id: 'b', n: null, other: Uint8Array.of(1, 2) });
    const { rows: found, fields } = await rows.window({ fields: ['title', 'n', 'list', 'pair', 'other'] });
    const [a, b] = found.map(({ cells }) => Object.fromEntries(cells.map((cell, at) => [fields[at], cell])));
    expect(a).toEqual({
      title: { kind: 'text', text: 'x'.repeat(256), cut: true },
      n: { kind: 'number', text: '3', cut: false },
      list: { kind: 'list', text: '[1, "two", {"three": null}]', cut: false },
      pair: { kind: 'text', text: 'y'.repeat(255), cut: true },
      other: undefined,
    });
    expect(b?.['n']).toEqual({ kind: 'null', text: 'null', cut: false });
    expect(b?.['other']).toEqual({ kind: 'bytes', text: '2 bytes', cut: false });
    expect((await rows.window()).fields).toEqual(
      expect.arrayContaining(['title', 'n', 'list', 'pair', 'other']),
    );
  });

  test('keeps a preview short for large, deep and hostile values', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.object({ maxDepth: 6, values: [fc.string({ maxLength: 400 }), fc.integer(), fc.constant(null)] }),
        async (value) => {
          const { db, rows } = openRows();
          await db.put({ _id: 'a', value });
          const cell = (await rows.window()).rows[0]?.cells[0] as Cell;
          expect(cell.text.length).toBeLessThanOrEqual(256);
          if (!cell.cut) expect(JSON.parse(cell.text)).toEqual(JSON.parse(JSON.stringify(value)));
        },
      ),
      { numRuns: 60, seed: 3 },
    );
  });

  test('shows documents in the order of a list of ids, without deleted documents', async () => {
    const { db, rows } = openRows();
    await db.bulk([{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }]);
    await db.del('b');
    expect(idsOf(await rows.window({ ids: ['c', 'b', 'a', 'never'] }))).toEqual(['c', 'a']);
  });

  test('returns 100 rows by default and at most 10,000; a scan returns batches of 500', async () => {
    const { db, rows } = openRows();
    await db.bulk(Array.from({ length: 10_001 }, (_, n) => ({ _id: name(n) })));
    const lengths: number[] = [];
    for (const limit of [undefined, 101, 10_000, 10_001, Number.POSITIVE_INFINITY])
      lengths.push((await rows.window(limit === undefined ? {} : { limit })).rows.length);
    expect(lengths).toEqual([100, 101, 10_000, 10_000, 10_000]);
    for await (const docs of rows.scan()) {
      expect(docs).toHaveLength(500);
      break;
    }
  });

  test('returns an empty window of an empty database, and rejects a negative offset', async () => {
    const { db, rows } = openRows();
    expect(await rows.window()).toMatchObject({ rows: [], total: 0 });
    await expect(rows.window({ offset: -1 })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    await db.close();
    await expect(rows.window()).rejects.toMatchObject({ code: 'DATABASE_CLOSED' });
  });
});

describe('fields', () => {
  test('lists _id first, then fields by the number of documents that have them', async () => {
    const { db, rows } = openRows();
    await db.bulk([
      { _id: '1', b: 1, a: 1 },
      { _id: '2', b: null },
      { _id: '3', c: 1 },
    ]);
    const uses = (await rows.fields()).map(({ field, documents }) => [field, documents]);
    expect(uses).toEqual([
      ['_id', 3],
      ['b', 2],
      ['a', 1],
      ['c', 1],
    ]);
  });

  test('orders fields with equal counts by name, and numbers in names by value', async () => {
    const { db, rows } = openRows();
    await db.put({ sensor10: 1, sensor2: 1, b: 1, A: 1, '\u00e9': 1, 'e\u0301': 1, z: 1 });
    const names = (await rows.fields()).map(({ field }) => field);
    expect(names).toEqual(['_id', 'A', 'b', 'e\u0301', '\u00e9', 'sensor2', 'sensor10', 'z']);
  });

  test('updates counts after changes, so that they equal a fresh count', async () => {
    const fields = fc.subarray(['a', 'b', 'c', 'toString', 'constructor']);
    const step = fc.record({ n: fc.nat(6), fields, del: fc.boolean(), asks: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const { db, rows, again } = openRows();
        const told: unknown[] = [];
        const stop = rows.onFields((uses) => told.push(uses));
        for (const { n, fields: own, del, asks } of steps) {
          if (del) await db.del(name(n));
          else await db.put({ _id: name(n), ...Object.fromEntries(own.map((field) => [field, n])) });
          if (asks) await rows.fields();
        }
        const followed = await rows.fields();
        stop();
        expect(told.at(-1) ?? followed).toEqual(followed);
        await db.close();
        const fresh = again();
        expect(await rowsOf(fresh).fields()).toEqual(followed);
        await fresh.close();
      }),
      { numRuns: 25, seed: 5 },
    );
  });

  test('stops a count on a signal; the next count is complete', async () => {
    const { db, rows } = openRows();
    await db.bulk(Array.from({ length: 600 }, (_, n) => ({ _id: name(n), n })));
    const aborter = new AbortController();
    const counting = rows.fields({ signal: aborter.signal });
    aborter.abort(new Error('not wanted'));
    await expect(counting).rejects.toThrow('not wanted');
    expect(await rows.fields()).toEqual([
      { field: '_id', documents: 600 },
      { field: 'n', documents: 600 },
    ]);
  });
});

describe('cursors', () => {
  const documents = Array.from({ length: 5000 }, (_, n) => ({
    _id: name(n),
    n: (n * 7919) % 1000,
    text: n % 3 === 0 ? 'Fizz' : 'other',
    ...(n % 10 === 0 ? { rare: { deep: ['Needle'] } } : {}),
  }));

  test('sorts by a field, filters by conditions, and stops at a limit', async () => {
    const { db, rows } = openRows();
    await db.bulk(documents);
    const model = documents
      .filter(({ n, text }) => n >= 500 && text === 'Fizz')
      .sort((a, b) => b.n - a.n || (a._id < b._id ? 1 : -1))
      .map(({ _id }) => _id);
    const texts = [{ text: 'FIZZ', field: 'text' }];
    const options = { where: { n: { gte: 500 } }, texts, sort: 'n', descending: true };
    expect(await all(rows.find(options))).toEqual(model);
    expect(await all(rows.find({ ...options, limit: 17 }))).toEqual(model.slice(0, 17));
    expect(await all(rows.find({ texts: [{ text: 'needle' }], limit: 3 }))).toEqual([
      name(0),
      name(10),
      name(20),
    ]);
    // A search includes field names within a value, but not the field names of the document itself.
    expect(await all(rows.find({ texts: [{ text: 'DEEP' }], limit: 1 }))).toEqual([name(0)]);
    expect(await all(rows.find({ texts: [{ text: 'tex' }] }))).toEqual([]);
    expect(await all(rows.find({ texts: [{ text: name(7).slice(1) }] }))).toEqual([name(7)]);
    expect(await all(rows.find({ where: { rare: { exists: false } }, descending: true, limit: 2 }))).toEqual([
      name(4999),
      name(4998),
    ]);
    const last = await all(rows.find({ sort: 'rare', descending: true }));
    expect(last.slice(0, 500).every((id) => id.endsWith('0'))).toBe(true);
  });

  test('finds all matching documents of any content, sorted by any field', async () => {
    const field = fc.constantFrom('a', 'b', '__proto__', 'del', 'doc', '_id');
    const value = fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom('', 'x', null, true),
      fc.constant([1]),
    );
    const doc = fc.array(
      fc.tuple(
        field.filter((one) => one !== '_id'),
        value,
      ),
      { maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ id: fc.constantFrom(...'pqrstu'), doc: fc.option(doc, { freq: 4 }) }), {
          minLength: 3,
          maxLength: 20,
        }),
        field,
        field,
        fc.boolean(),
        async (steps, sort, filtered, descending) => {
          const { db, rows } = openRows();
          for (const { id, doc: fields } of steps)
            await (fields === null ? db.del(id) : db.put({ ...Object.fromEntries(fields), _id: id }));
          // A filter over all content decodes whole documents.
          const texts = [{ text: '' }];
          const where = { [filtered]: { exists: true } };
          const options = { sort, descending };
          expect(await all(rows.find(options))).toEqual(await all(rows.find({ ...options, texts })));
          expect(await all(rows.find({ ...options, where }))).toEqual(
            await all(rows.find({ ...options, where, texts })),
          );
          expect((await all(rows.find())).sort()).toEqual((await db.allDocs()).rows.map(({ key }) => key));
          await db.close();
        },
      ),
      { numRuns: 60, seed: 11 },
    );
  });

  test('stops a cursor on a signal, and reports progress', async () => {
    const { db, rows } = openRows();
    await db.bulk(documents);
    const aborter = new AbortController();
    const seen: number[] = [];
    const cursor = all(
      rows.find({
        sort: 'n',
        signal: aborter.signal,
        onProgress: (progress) => {
          seen.push(progress.seen);
          if (progress.seen >= 1000) aborter.abort(new Error('enough'));
        },
      }),
    );
    await expect(cursor).rejects.toThrow('enough');
    expect(seen.at(-1)).toBeLessThan(2000);
  });

  test('streams the rows of a map function up to a limit', async () => {
    const { db, rows } = openRows();
    await db.bulk(documents);
    const found = await all(rows.map((doc, emit) => emit(doc.n, doc.text), { limit: 3 }));
    expect(found).toEqual(
      documents.slice(0, 3).map(({ _id, n, text }) => ({ key: n, id: _id, value: text })),
    );
    await expect(all(rows.map({ source: 'doc => doc.n' }))).rejects.toMatchObject({ code: 'MAP_FAILED' });
  });

  test.each([
    { where: { n: { constructor: 1 } } },
    { where: 1 },
    { texts: 'milk' },
    { texts: [{ text: 1 }] },
    { texts: [{ text: 'a', field: 1 }] },
    { filter: { n: 1 } },
    { sort: 1 },
  ])('rejects the search %j', async (search) => {
    const { rows } = openRows();
    await expect(all(rows.find(search as never))).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  });

  test('returns the same ids in the same order with indexes and without them', async () => {
    const [plain, indexed] = [openRows(), openRows({ indexes: ['n', ['text', 'n']] })];
    for (const { db } of [plain, indexed]) await db.bulk(documents.slice(0, 1500));
    const where = { n: { gte: 100, lt: 300 } };
    expect((await indexed.db.explain({ where })).reads).toBe('matches');
    for (const search of [
      { where },
      { where, descending: true },
      { where, sort: 'text', limit: 20 },
      { where, sort: 'rare', descending: true },
      { where, texts: [{ text: 'needle' }] },
      { where: { or: [{ text: 'Fizz', n: 7 }, { n: 9 }] }, sort: 'n' },
      { where: { _id: { in: [name(5), name(3)] } } },
    ]) {
      const ids = await all(plain.rows.find(search));
      expect(ids.length).toBeGreaterThan(0);
      expect(await all(indexed.rows.find(search))).toEqual(ids);
    }
  });
});

describe('streams', () => {
  test('returns the documents that allDocs returned when the stream started', async () => {
    const { db, rows } = openRows();
    await db.bulk(Array.from({ length: 1200 }, (_, n) => ({ _id: name(n), n })));
    await db.del(name(7));
    const expected = (await db.allDocs()).rows.map(({ value }) => value);
    const stream = rows.scan({ batch: 100 });
    const found: unknown[] = [];
    for await (const batch of stream) {
      expect(batch.length).toBeLessThanOrEqual(100);
      if (found.length === 0) await db.put({ _id: name(1100), n: 'changed' });
      found.push(...batch);
    }
    expect(found).toEqual(expected);
    const some = await all(rows.scan({ range: [name(10), name(12)], descending: true }));
    expect(some.map(({ _id }) => _id)).toEqual([name(12), name(11), name(10)]);
  });
});

test('pauses long reads while a document is read', async () => {
  const { platform, values, keys } = memoryPlatform();
  const before = openDatabase('rows', platform);
  for (let archive = 0; archive < 6; archive += 1)
    await before.bulk(Array.from({ length: 300 }, (_, n) => ({ _id: name(archive * 300 + n), n })));
  await before.close();
  const store = memoryStore(values);
  let held: Promise<void> | undefined;
  let reads = 0;
  const read: ByteStore['read'] = async (key) => {
    reads += 1;
    const own = held;
    held = undefined;
    await own;
    return store.read(key);
  };
  const again = memoryPlatform(values, keys).platform;
  let turns = 0;
  const turn = async () => {
    turns += 1;
    await systemTime.turn?.();
  };
  const time = { ...again.time, now: () => 1_000_000, turn };
  const opened = { ...again, time, openStore: async () => ({ ...store, read }) };
  const db = openDatabase('rows', opened, { archivesKept: 1 });
  const rows = rowsOf(db);
  expect(await rows.count()).toBe(1800);
  let release: () => void = () => undefined;
  held = new Promise((resolve) => {
    release = resolve;
  });
  const reading = db.get(name(1000));
  while (held !== undefined) await time.turn();
  const asked = reads;
  const counting = rows.fields();
  for (let turn = 0; turn < 50; turn += 1) await time.turn();
  expect(reads).toBe(asked);
  release();
  expect(await reading).toMatchObject({ n: 100 });
  expect(await counting).toEqual([
    { field: '_id', documents: 1800 },
    { field: 'n', documents: 1800 },
  ]);
  turns = 0;
  expect(await all(rows.find({ sort: 'n', limit: 1 }))).toHaveLength(1);
  // The clock doesn't advance, so only the read of a document could cause a pause, and this read is
  // over.
  expect(turns).toBe(0);
  expect(reads).toBeGreaterThan(asked);
  await db.close();
});
