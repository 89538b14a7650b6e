import { expect, test } from 'vitest';
import { memoryPlatform } from '../../tests/memory-platform.fixture.ts';
import { openDatabase } from '../database/open.ts';
import { fireproofDatabase } from './database.ts';
import { index } from './named-index.ts';

interface Todo {
  readonly title: string;
  readonly rank: number;
}

async function todos() {
  const db = fireproofDatabase(openDatabase('todos', memoryPlatform().platform));
  await db.bulk<Todo>([
    { title: 'Milk', rank: 2 },
    { title: 'Bread', rank: 1 },
  ]);
  return db;
}

test('answers queries from an index that was defined under a name', async () => {
  const db = await todos();
  let calls = 0;
  const byRank = index<Todo, number>(db, 'by-rank', (doc) => {
    calls += 1;
    return doc.rank;
  });
  await byRank.ready();
  expect(byRank.name).toBe('by-rank');
  const { rows, docs } = await byRank.query({ descending: true });
  expect(rows.map(({ key }) => key)).toEqual([2, 1]);
  expect(docs.map(({ title }) => title)).toEqual(['Milk', 'Bread']);
  expect(calls).toBe(2);
  expect((await index<Todo, number>(db, 'by-rank').query({ range: [1, 2], limit: 1 })).rows).toHaveLength(1);
  expect(index(db, 'by-rank')).toBe(byRank);
  expect(calls).toBe(2);
  await db.destroy();
});

test('indexes the field with the name of the index if there is no map function', async () => {
  const db = await todos();
  const { rows } = await index<Todo>(db, 'title').query({ includeDocs: false });
  expect(rows.map(({ key }) => key)).toEqual(['Bread', 'Milk']);
  await db.destroy();
});

test('uses the latest map function that was defined under a name, for each database by itself', async () => {
  const [db, other] = [await todos(), await todos()];
  const first = index<Todo, string>(db, 'key', (doc) => doc.title);
  index<Todo, string>(db, 'key', (doc, emit) => emit(doc.title.toUpperCase(), doc.rank));
  expect((await first.query()).rows).toMatchObject([
    { key: 'BREAD', value: 1 },
    { key: 'MILK', value: 2 },
  ]);
  expect((await index(other, 'key').query()).rows).toEqual([]);
  await db.destroy();
  await other.destroy();
});

test.each([
  ['an object that is not a database', {}, 'title', undefined],
  ['a name that is not a string', undefined, 1, undefined],
  ['a text as a map function', undefined, 'title', 'title'],
])('rejects %s', async (_, database, name, map) => {
  const db = await todos();
  expect(() => index((database ?? db) as typeof db, name as string, map as never)).toThrow(
    expect.objectContaining({ code: 'REQUEST_INVALID' }),
  );
  await db.destroy();
});
