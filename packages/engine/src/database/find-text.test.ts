import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fixpoint } from '../entries/node.ts';
import { wantedWords } from '../text/wanted-words.ts';
import { wordsOf } from '../text/words.ts';
import type { Database, FindOptions, IndexDeclaration } from './database.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

let opened = 0;
const TITLE_AND_BODY: readonly IndexDeclaration[] = [{ text: ['title', 'body'] }];

function open(indexes = TITLE_AND_BODY): Database {
  opened += 1;
  const database = fixpoint(`searched-${opened}`, { storage: 'memory', indexes });
  cleanups.push(() => database.destroy());
  return database;
}

const idsOf = async (database: Database, options: FindOptions) =>
  (await database.find(options)).docs.map(({ _id }) => _id);

/** Returns the ids of all pages, one after the other. */
async function idsInPages(database: Database, options: FindOptions): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await database.find({ ...options, after });
    ids.push(...page.docs.map(({ _id }) => _id));
    after = page.next;
  } while (after !== undefined);
  return ids;
}

const NOTES = [
  { _id: 'cats', title: 'Cats and dogs', body: 'A cat sleeps all day.', stars: 3 },
  { _id: 'dogs', title: 'Dogs', body: 'Dogs bark at a cat, and another cat, and a third cat.', stars: 1 },
  { _id: 'cafe', title: 'Café Ångström', body: 'Coffee, catalogues and cake.', stars: 2 },
  { _id: 'none', title: 7, other: 'cat' },
  { _id: 'list', title: ['first cat', 'second', 3], stars: 5 },
];

async function withNotes(): Promise<Database> {
  const database = open();
  await database.bulk(NOTES);
  return database;
}

describe('find with search', () => {
  test('uses the full-text index of ids with a prefix', async () => {
    const database = open([
      { text: ['title'], prefix: 'note/' },
      { text: ['body'], prefix: 'mail/' },
    ]);
    await database.bulk([
      { _id: 'note/1', title: 'cat', body: 'dog' },
      { _id: 'note/2', title: 'cat cat', n: 1 },
      { _id: 'mail/1', title: 'dog', body: 'cat' },
    ]);
    const found = (startsWith: string, more: object = {}) =>
      idsOf(database, { search: 'cat', where: { _id: { startsWith }, ...more } });
    expect(await found('note/')).toEqual(['note/2', 'note/1']);
    expect(await found('note/', { n: 1 })).toEqual(['note/2']);
    expect(await found('note/1')).toEqual(['note/1']);
    expect(await found('mail/')).toEqual(['mail/1']);
    await expect(found('')).rejects.toThrow('search needs a full-text index');
    const explained = await database.explain({ search: 'cat', where: { _id: { startsWith: 'note/' } } });
    expect(explained).toMatchObject({ indexes: [['title']], reads: 'matches' });
  });

  test.each([
    ['cat', ['cafe', 'cats', 'dogs', 'list']],
    ['CAT day', ['cats']],
    ['day cat', ['cats']],
    ['dog', ['cats', 'dogs']],
    ['dogs bark', ['dogs']],
    ['dog bark', []],
    ['cafe angstrom', ['cafe']],
    ['ångs', ['cafe']],
    ['catalog', ['cafe']],
    ['catalog cake', []],
    ['second', ['list']],
    ['7', []],
    ['zebra', []],
    ['', []],
    ['...', []],
  ])(
    'finds the documents that contain all words of %j, the last one also as a start',
    async (search, ids) => {
      const database = await withNotes();
      expect((await idsOf(database, { search })).sort()).toEqual(ids);
    },
  );

  test('returns the most relevant documents first: rare, repeated and whole words in short fields', async () => {
    const database = open([{ text: ['body'] }]);
    await database.bulk([
      { _id: 'once', body: 'one apple among many other words of a longer text' },
      { _id: 'start', body: 'applesauce' },
      { _id: 'often', body: 'apple apple apple' },
      { _id: 'short', body: 'an apple' },
      { _id: 'other', body: 'pears' },
    ]);
    expect(await idsOf(database, { search: 'apple' })).toEqual(['often', 'short', 'once', 'start']);
  });

  test.each([
    ['catalouges', ['cafe']],
    ['catalouges cake', ['cafe']],
    ['coffe cake', ['cafe']],
    ['cofef', ['cafe']],
    ['slepes', ['cats']],
    ['angstorm', ['cafe']],
    ['dosg', ['cats', 'dogs']],
    ['ctas', ['cats']],
    ['offee', []],
    ['cta', []],
    ['barx cta', []],
  ])('finds words with typing errors in %j if no document contains these words', async (search, ids) => {
    const database = await withNotes();
    expect((await idsOf(database, { search })).sort()).toEqual(ids);
  });

  test('ignores similar words if a document contains the word itself', async () => {
    const database = open();
    await database.bulk([
      { _id: 'form', title: 'form' },
      { _id: 'from', title: 'from' },
      { _id: 'frame', title: 'frame' },
    ]);
    expect(await idsOf(database, { search: 'form' })).toEqual(['form']);
    expect(await idsOf(database, { search: 'fomr' })).toEqual(['form']);
    await database.del('form');
    expect(await idsOf(database, { search: 'form' })).toEqual(['from']);
  });

  test('prefers documents that repeat the rarer of two words', async () => {
    const database = open([{ text: ['body'] }]);
    const common = Array.from({ length: 20 }, (_, n) => ({ _id: `common-${n}`, body: 'apple' }));
    await database.bulk([
      { _id: 'a', body: 'apple apple apple quince' },
      { _id: 'b', body: 'apple quince quince quince' },
      ...common,
    ]);
    expect(await idsOf(database, { search: 'quince apple' })).toEqual(['b', 'a']);
    expect(await idsOf(database, { search: 'apple quince' })).toEqual(['b', 'a']);
  });

  test('returns documents of equal relevance once each, page by page', async () => {
    const database = open([...TITLE_AND_BODY, 'isOdd']);
    const ids = Array.from({ length: 9 }, (_, n) => `same-${n}`);
    await database.bulk(ids.map((_id, n) => ({ _id, body: 'equal words', isOdd: n % 2 === 1 })));
    for (const where of [{}, { isOdd: true }])
      expect(await idsInPages(database, { search: 'equal', where, limit: 2 })).toEqual(
        'isOdd' in where ? ids.filter((_, n) => n % 2 === 1) : ids,
      );
  });

  test('reads on until enough documents meet the conditions', async () => {
    const database = open();
    await database.bulk(Array.from({ length: 700 }, (_, n) => ({ _id: `d${n}`, body: 'word', n: n % 350 })));
    const options = { search: 'word', where: { n: 349 }, limit: 5 };
    expect((await idsOf(database, options)).sort()).toEqual(['d349', 'd699']);
    expect(await idsOf(database, { ...options, limit: 1 })).toHaveLength(1);
  });

  test('combines with conditions, a sort, a limit and cursors', async () => {
    const database = await withNotes();
    expect(
      await idsOf(database, { search: 'cat', where: { stars: { gt: 1 } }, sort: { stars: 'desc' } }),
    ).toEqual(['list', 'cats', 'cafe']);
    const page = { search: 'cat', limit: 1 };
    expect(await idsInPages(database, { ...page, sort: { stars: 'asc' } })).toEqual([
      'dogs',
      'cafe',
      'cats',
      'list',
    ]);
    expect(await idsInPages(database, page)).toEqual(await idsOf(database, { search: 'cat' }));
    expect(await idsOf(database, { search: 'cat', limit: 0 })).toEqual([]);
  });

  test('finds changed documents at once, and no deleted ones', async () => {
    const database = await withNotes();
    expect(await idsOf(database, { search: 'bark' })).toEqual(['dogs']);
    await database.put({ _id: 'dogs', title: 'Wolves', body: 'howl' });
    await database.put({ _id: 'new', title: 'bark beetles' });
    await database.del('cats');
    expect(await idsOf(database, { search: 'bark' })).toEqual(['new']);
    expect(await idsOf(database, { search: 'howl' })).toEqual(['dogs']);
    expect(await idsOf(database, { search: 'sleeps' })).toEqual([]);
    for (const { _id } of (await database.find()).docs) await database.del(_id);
    expect(await idsOf(database, { search: 'cat' })).toEqual([]);
  });

  test('rejects a search without a full-text index, and anything but a text or a cursor', async () => {
    const without = open(['title']);
    await expect(without.find({ search: 'x' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    await expect(without.explain({ search: 'x' })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    const database = await withNotes();
    for (const options of [
      { search: 7 },
      { search: 'cat', after: '["search rank","x","y"]' },
      { search: null },
    ])
      await expect(database.find(options as never)).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  });

  test.each([
    [[{ text: [] }]],
    [[{ text: [7] }]],
    [[{ text: ['a', 'a'] }]],
    [[{ text: ['a['] }]],
    [[{ text: 'a' }]],
    [[{ text: ['a'], weights: [2] }]],
    [[{ words: 'a' }]],
  ])('rejects the declaration %j', async (indexes) => {
    const database = open(indexes as never);
    await expect(database.ready()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    cleanups.pop();
  });

  test('explains that the index answers, and whether documents are checked and sorted', async () => {
    const database = await withNotes();
    await database.find({ search: 'cat' });
    expect(await database.explain({ search: 'cat' })).toEqual({
      indexes: [['title', 'body']],
      reads: 'matches',
      sorts: false,
      building: [],
      declared: [{ kind: 'text', fields: ['title', 'body'], prefix: '', isReady: true }],
    });
    expect(
      await database.explain({ search: 'cat', where: { stars: 1 }, sort: { stars: 'asc' } }),
    ).toMatchObject({ indexes: [['title', 'body']], reads: 'candidates', sorts: true });
    const both = open([...TITLE_AND_BODY, 'stars']);
    await both.bulk(NOTES);
    await vi.waitUntil(async () => (await both.explain()).building.length === 0);
    expect(await both.explain({ search: 'cat', where: { stars: 1 } })).toMatchObject({
      indexes: [['title', 'body'], ['stars']],
    });
    expect(await idsOf(both, { search: 'cat', where: { stars: { in: [1, 3] } } })).toHaveLength(2);
  });

  test('loads the stored index when the database is opened again, and follows changes since', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-search-'));
    cleanups.push(async () => rmSync(directory, { recursive: true, force: true }));
    const options = { directory, durability: 'relaxed', indexes: TITLE_AND_BODY } as const;
    const first = fixpoint('stored', options);
    await first.bulk(NOTES);
    await first.find({ search: 'cat' });
    await first.close();
    const without = fixpoint('stored', { directory });
    await without.del('cats');
    await without.put({ _id: 'late', title: 'A late cat' });
    await without.close();
    const again = fixpoint('stored', options);
    cleanups.push(() => again.close());
    expect((await again.explain()).building).toEqual([]);
    expect((await idsOf(again, { search: 'cat' })).sort()).toEqual(['cafe', 'dogs', 'late', 'list']);
    const stored = fixpoint('stored', { directory, indexes: 'stored' });
    expect(await idsOf(stored, { search: 'late' })).toEqual(['late']);
    await stored.close();
  });

  test('reports nothing when the database closes while its indexes load', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-search-'));
    cleanups.push(async () => rmSync(directory, { recursive: true, force: true }));
    const first = fixpoint('loaded', { directory, indexes: TITLE_AND_BODY });
    await first.bulk(NOTES);
    await first.find({ search: 'cat' });
    await first.close();
    const reported = vi.spyOn(console, 'error').mockReturnValue();
    for (let round = 0; round < 5; round++) {
      const again = fixpoint('loaded', { directory, indexes: TITLE_AND_BODY });
      await again.ready();
      await again.close();
    }
    expect(reported).not.toHaveBeenCalled();
    reported.mockRestore();
  });

  test('returns the same documents as a search of all documents, after any changes', async () => {
    const word = fc.constantFrom('a', 'ab', 'abc', 'b', 'bc', 'é', '東京', 'x1');
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const n = fc.integer({ min: 0, max: 2 });
    const wanted = fc.record({ search: text, n: fc.option(n, { nil: undefined }), isSorted: fc.boolean() });
    const change = fc.record({
      id: fc.integer({ min: 0, max: 12 }).map(String),
      doc: fc.option(fc.record({ title: text, body: text, n }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(change, { maxLength: 8 }), wanted), { maxLength: 6 }),
        async (rounds) => {
          const database = open([...TITLE_AND_BODY, 'n']);
          const model = new Map<string, { title: string; body: string; n: number }>();
          for (const [changes, { search, n: only, isSorted }] of rounds) {
            for (const { id, doc } of changes) {
              if (doc !== undefined) await database.put({ _id: id, ...doc });
              else if (model.has(id)) await database.del(id);
              if (doc === undefined) model.delete(id);
              else model.set(id, doc);
            }
            const words = wantedWords(search);
            const expected = [...model].filter(([, doc]) => {
              const own = [...wordsOf(doc.title), ...wordsOf(doc.body)];
              const hasAll = words.every(({ word: one, isStart }) =>
                own.some((other) => other === one || (isStart && other.startsWith(one))),
              );
              return hasAll && words.length > 0 && (only === undefined || doc.n === only);
            });
            const found = await idsOf(database, {
              search,
              where: only === undefined ? {} : { n: only },
              ...(isSorted && { sort: { n: 'desc' } }),
            });
            expect(found.toSorted()).toEqual(expected.map(([id]) => id).sort());
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
