import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { fixpoint } from '../entries/node.ts';
import { quickJsSandbox } from '../platform/sandbox/quickjs-sandbox.ts';
import type { Database, QueryOptions } from './database.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function open(): Database {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-query-'));
  const database = fixpoint('queried', { directory, durability: 'relaxed', sandbox: quickJsSandbox() });
  cleanups.push(async () => {
    await database.destroy();
    rmSync(directory, { recursive: true, force: true });
  });
  return database;
}

async function holding(...docs: readonly Record<string, unknown>[]): Promise<Database> {
  const database = open();
  await database.bulk(docs);
  return database;
}

const idsOf = async (database: Database, map: Parameters<Database['query']>[0], options?: QueryOptions) =>
  (await database.query(map, options)).rows.map(({ id }) => id);
const keysOf = async (database: Database, map: Parameters<Database['query']>[0], options?: QueryOptions) =>
  (await database.query(map, options)).rows.map(({ key }) => key);

const refusal = (answer: Promise<unknown>) =>
  answer.then(
    () => 'nothing was refused',
    (error: Error & { code: string }) => `${error.code} ${error.message}`,
  );

const FRUIT = [
  { _id: 'a', type: 'apple', n: 0 },
  { _id: 'b', type: 'banana', n: 2 },
  { _id: 'c', type: 'apple', n: -1 },
  { _id: 'd', type: null, n: '' },
  { _id: 'e', n: false },
];

describe('query', () => {
  test('returns rows by a field, sorted by key, then id, with their documents', async () => {
    const database = await holding(...FRUIT);
    expect(await database.query('type')).toEqual({
      rows: [
        { key: 'apple', id: 'a', value: null, doc: FRUIT[0] },
        { key: 'apple', id: 'c', value: null, doc: FRUIT[2] },
        { key: 'banana', id: 'b', value: null, doc: FRUIT[1] },
      ],
      docs: [FRUIT[0], FRUIT[2], FRUIT[1]],
    });
    const bare = await database.query('type', { includeDocs: false });
    expect(bare).not.toHaveProperty('docs');
    expect(bare.rows[0]).toEqual({ key: 'apple', id: 'a', value: null });
    expect(await database.query('constructor')).toEqual({ rows: [], docs: [] });
  });

  test('treats falsy keys like other keys', async () => {
    const database = await holding(...FRUIT);
    expect(await idsOf(database, 'n')).toEqual(['e', 'c', 'a', 'b', 'd']);
    for (const [key, id] of [
      [0, 'a'],
      ['', 'd'],
      [false, 'e'],
    ] as const)
      expect(await idsOf(database, 'n', { key })).toEqual([id]);
    expect(await idsOf(database, (doc) => doc.type ?? null, { key: null })).toEqual(['d', 'e']);
  });

  test('applies range, keys, prefix, limit and descending', async () => {
    const database = await holding(...FRUIT);
    expect(await idsOf(database, 'n', { range: [-1, 0] })).toEqual(['c', 'a']);
    expect(await idsOf(database, 'n', { range: [0, Number.POSITIVE_INFINITY] })).toEqual(['a', 'b']);
    expect(await idsOf(database, 'n', { range: [5, 1] })).toEqual([]);
    expect(await idsOf(database, 'type', { keys: ['banana', 'none', 'apple', 'banana'] })).toEqual([
      'b',
      'a',
      'c',
      'b',
    ]);
    expect(await idsOf(database, 'type', { keys: ['banana', 'apple'], limit: 2 })).toEqual(['b', 'a']);
    expect(await idsOf(database, 'type', { prefix: 'app' })).toEqual(['a', 'c']);
    expect(await idsOf(database, 'type', { descending: true })).toEqual(['b', 'c', 'a']);
    expect(await idsOf(database, 'type', { descending: true, limit: 1 })).toEqual(['b']);
    expect(await idsOf(database, 'type', { limit: 0 })).toEqual([]);
    expect(await idsOf(database, 'type', { range: ['b', 'c'], key: 'apple', prefix: 'app' })).toEqual(['b']);
  });

  test('returns matching arrays before matching objects, in the order of keys, for a prefix that is an object', async () => {
    const database = await holding(
      { _id: 'x', at: { a: 1 } },
      { _id: 'y', at: [{ a: 1 }, 2] },
      { _id: 'z', at: [{}] },
    );
    expect(await idsOf(database, 'at', { prefix: { a: 1 } })).toEqual(['y', 'x']);
    expect(await idsOf(database, 'at', { prefix: { a: 1 }, descending: true })).toEqual(['x', 'y']);
  });

  test('accepts map functions that emit any number of keys, or return one key', async () => {
    const database = await holding(
      { _id: 'x', words: ['to', 'be', 'or', 'not', 'to', 'be'] },
      { _id: 'y', words: ['be'] },
    );
    const words = (doc: { words: string[] }, emit: (key: unknown, value?: unknown) => void) => {
      for (const [at, word] of doc.words.entries()) emit(word, { at });
    };
    expect((await database.query(words, { key: 'be', includeDocs: false })).rows).toEqual([
      { key: 'be', id: 'x', value: { at: 1 } },
      { key: 'be', id: 'x', value: { at: 5 } },
      { key: 'be', id: 'y', value: { at: 0 } },
    ]);
    await database.put({ _id: 'x', words: ['be'] });
    expect(await keysOf(database, words)).toEqual(['be', 'be']);
    expect(await keysOf(database, (doc) => [doc.words.length, undefined])).toEqual([
      [1, undefined],
      [1, undefined],
    ]);
    expect(await keysOf(database, (_doc, emit) => emit(undefined))).toEqual([]);
  });

  test('replaces the rows of changed documents, removes those of deleted documents, and adds those of new ones', async () => {
    const database = await holding(...FRUIT);
    const types = () => idsOf(database, 'type');
    expect(await types()).toEqual(['a', 'c', 'b']);
    await database.del('a');
    await database.put({ _id: 'b', type: 'aardvark' });
    await database.put({ _id: 'z', type: 'cherry' });
    await database.put({ _id: 'c', kind: 'none' });
    expect(await types()).toEqual(['b', 'z']);
    await database.put({ _id: 'a', type: 'back' });
    expect(await types()).toEqual(['b', 'a', 'z']);
  });

  test('never shows the reserved document', async () => {
    const database = open();
    await database.put({ _id: 'only' });
    expect(await idsOf(database, (doc) => doc._id ?? 'none')).toEqual(['only']);
    expect(await idsOf(database, { source: '() => 1' })).toEqual(['only']);
  });

  test('returns no rows for an empty database', async () => {
    expect(await open().query('type')).toEqual({ rows: [], docs: [] });
  });

  test('returns new copies of keys, values and documents each time', async () => {
    const database = await holding({ _id: 'x', tags: ['a'] });
    const byAll = (doc: { _id: string }, emit: (key: unknown, value: unknown) => void) =>
      emit([doc._id], doc);
    const first = await database.query<{ tags: string[] }>(byAll);
    (first.rows[0]!.value as { tags: string[] }).tags.push('b');
    (first.rows[0]!.key as string[]).push('b');
    first.docs![0]!.tags.push('b');
    const second = await database.query(byAll);
    expect(second.rows).toEqual([
      { key: ['x'], id: 'x', value: { _id: 'x', tags: ['a'] }, doc: { _id: 'x', tags: ['a'] } },
    ]);
  });

  test('keeps separate indexes for functions of equal text that capture different things', async () => {
    const database = await holding(...FRUIT);
    const ofType = (type: string) => (doc: { type?: string }) => (doc.type === type ? 1 : undefined);
    expect(await idsOf(database, ofType('apple'))).toEqual(['a', 'c']);
    expect(await idsOf(database, ofType('banana'))).toEqual(['b']);
  });

  test('shares an index between functions of equal text that use only the document', async () => {
    const database = await holding(...FRUIT);
    let seen = 0;
    const spy = () =>
      Object.assign(
        (doc: { type?: string }) => {
          seen += 1;
          return doc.type;
        },
        { toString: () => '(doc) => doc.type' },
      );
    await database.query(spy());
    await database.query(spy());
    expect(seen).toBe(FRUIT.length);
  });

  test('reuses a stored index after the database was reopened', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-query-'));
    let seen = 0;
    const asking = async () => {
      const database = fixpoint('kept', { directory });
      const byType = Object.assign(
        (doc: { type?: string }) => {
          seen += 1;
          return doc.type;
        },
        { toString: () => '(doc) => doc.type' },
      );
      if (seen === 0) await database.bulk(FRUIT);
      const ids = await idsOf(database, byType, { keys: ['apple'] });
      await database.close();
      return ids;
    };
    expect(await asking()).toEqual(['a', 'c']);
    expect(await asking()).toEqual(['a', 'c']);
    expect(seen).toBe(FRUIT.length);
    rmSync(directory, { recursive: true });
  });

  test('maps only changed documents after the first query', async () => {
    const database = await holding(...Array.from({ length: 300 }, (_, n) => ({ _id: `doc-${n}`, n })));
    let seen = 0;
    const byN = (doc: { n: number }) => {
      seen += 1;
      return doc.n;
    };
    await database.query(byN);
    expect(seen).toBe(300);
    await database.bulk([
      { _id: 'doc-7', n: -1 },
      { _id: 'new', n: 1000 },
    ]);
    await database.del('doc-9');
    const { rows } = await database.query(byN, { includeDocs: false });
    expect(seen).toBe(302);
    expect([rows[0]?.id, rows.at(-1)?.id, rows.length]).toEqual(['doc-7', 'new', 300]);
  });

  test('returns one consistent version while writes are running', async () => {
    const database = open();
    const writes = Array.from({ length: 30 }, (_, n) => database.put({ _id: `d${n}`, n }));
    const answers = await Promise.all(Array.from({ length: 10 }, () => database.query('n')));
    await Promise.all(writes);
    for (const { rows, docs } of answers) expect(docs).toHaveLength(rows.length);
    expect(await keysOf(database, 'n')).toEqual(Array.from({ length: 30 }, (_, n) => n));
  });
});

describe('query after any history', () => {
  const id = fc.integer({ min: 0, max: 12 }).map((n) => `d${n}`);
  const tag = fc.constantFrom<unknown>('a', 'b', 'ab', 0, 1, -1, null, false, ['a', 1], []);
  const step = fc.oneof(
    fc.record({ put: id, tags: fc.array(tag, { maxLength: 3 }) }),
    fc.record({ del: id }),
    fc.constant({ query: true }),
  );
  const byTag = (doc: { tags: unknown[] }, emit: (key: unknown, value: unknown) => void) => {
    for (const one of doc.tags) emit(one, doc.tags.length);
  };

  test('returns the same rows as mapping all current documents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25, size: 'max' }), async (steps) => {
        const database = open();
        for (const one of steps) {
          if ('put' in one) await database.put({ _id: one.put, tags: one.tags });
          else if ('del' in one) await database.del(one.del);
          else await database.query(byTag);
        }
        const { rows } = await database.query(byTag, { includeDocs: false });
        const fresh = await database.query((doc, emit) => byTag(doc, emit), { includeDocs: false });
        expect(rows).toEqual(fresh.rows);
        const all = (await database.allDocs<{ tags: unknown[] }>()).rows.map(({ value }) => value);
        const expected = all.flatMap(({ _id, tags }) =>
          tags.map((key) => JSON.stringify([key, _id, tags.length])),
        );
        expect(rows.map(({ key, id, value }) => JSON.stringify([key, id, value])).sort()).toEqual(
          expected.sort(),
        );
      }),
      { numRuns: 25 },
    );
  });
});

describe('query errors', () => {
  test('rejects anything but a synchronous function', async () => {
    const database = await holding(...FRUIT);
    const refused = 'MAP_FAILED map function failed: mapFn must be a function';
    for (const map of [undefined, null, 42, {}, async () => 1, function* () {}, () => Promise.resolve(1)])
      expect(await refusal(database.query(map as never))).toBe(refused);
  });

  test('reports a function that throws, with its message and cause', async () => {
    const database = await holding(...FRUIT);
    const cause = new Error('no such thing');
    const error = await database
      .query(() => {
        throw cause;
      })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'MAP_FAILED', message: 'map function failed: no such thing', cause });
    expect(await refusal(database.query(() => () => 1))).toBe(
      'MAP_FAILED map function failed: a function cannot be a key',
    );
  });

  test('rejects a query while its function throws for a document, and answers it after that document is deleted', async () => {
    const database = await holding({ _id: 'x', n: 1 }, { _id: 'bad' });
    const digits = (doc: { n: number }) => doc.n.toFixed(1);
    expect(await refusal(database.query(digits))).toMatch('MAP_FAILED');
    expect(await refusal(database.query(digits))).toMatch('MAP_FAILED');
    await database.del('bad');
    expect(await keysOf(database, digits)).toEqual(['1.0']);
  });

  test('rejects options with invalid values', async () => {
    const database = await holding(...FRUIT);
    const asking = (options: unknown) => refusal(database.query('n', options as QueryOptions));
    const refused = 'QUERY_INVALID query options are not valid: ';
    for (const limit of [-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, '3', null])
      expect(await asking({ limit })).toBe(`${refused}limit is ${limit}`);
    for (const range of [5, [1], [1, 2, 3], null])
      expect(await asking({ range })).toBe(`${refused}range is not [from, to]`);
    expect(await asking({ keys: 'ab' })).toBe(`${refused}keys is not an array`);
    const around: unknown[] = [];
    around.push(around);
    for (const key of [() => 1, Symbol('s'), around])
      for (const options of [{ key }, { keys: [1, key] }, { prefix: [key] }, { range: [null, key] }])
        expect(await asking(options)).toBe(`${refused}the requested value cannot be a key`);
    expect(await idsOf(database, 'n', { limit: Number.POSITIVE_INFINITY })).toHaveLength(5);
  });

  test('rejects typed text without a sandbox', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-query-'));
    const database = fixpoint('plain', { directory });
    cleanups.push(() => database.destroy());
    await database.put({ _id: 'x' });
    expect(await refusal(database.query({ source: '() => 1' }))).toBe(
      'MAP_FAILED map function failed: no sandbox',
    );
  });
});

describe('typed text', () => {
  test('returns the same rows as the native function', async () => {
    const database = await holding(...FRUIT, {
      _id: 'f',
      big: 2n ** 60n,
      bytes: Uint8Array.of(1),
      list: [1, null],
    });
    for (const map of [
      (doc: { _id: string }, emit: (key: unknown, value?: unknown) => void) => emit(doc._id, doc),
      (doc: { n: number }) => doc.n * 2,
      (doc: { type: string; n: number }) => [doc.type, undefined, doc.n],
      (doc: { n: number }, emit: (key: unknown, value?: unknown) => void) => {
        emit(1 / doc.n, doc.n);
        emit({ n: doc.n });
      },
    ]) {
      const plain = (rows: readonly { key: unknown; id: string; value: unknown }[]) =>
        rows.map(({ key, id, value }) => [key, id, id === 'f' ? '' : value]);
      const native = await database.query(map, { includeDocs: false });
      const typed = await database.query({ source: String(map) }, { includeDocs: false });
      expect(plain(typed.rows)).toEqual(plain(native.rows));
    }
  });

  test('reports the message of an error that it throws', async () => {
    const database = await holding(...FRUIT);
    expect(await refusal(database.query({ source: '(doc) => doc.x.y' }))).toMatch(
      /^MAP_FAILED map function failed: .*undefined/,
    );
    expect(await refusal(database.query({ source: '(doc) => {' }))).toMatch(
      /^MAP_FAILED map function failed: /,
    );
    expect(await refusal(database.query({ source: 'async () => 1' }))).toBe(
      'MAP_FAILED map function failed: mapFn must be a function',
    );
  });
});
