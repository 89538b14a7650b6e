import { describe, expect, test } from 'vitest';
import { freshDatabase } from '../../../local/fresh-database.fixture.ts';
import type { RowsQuery } from '../table/live-rows.ts';
import { neighboursOf } from './neighbours.ts';

const DOCS = ['a', 'b', 'c', 'd'].map((_id, n) => ({ _id, n: 10 - n, isEven: n % 2 === 0 }));

async function around(id: string, query: Partial<RowsQuery> = {}) {
  const { rows } = await freshDatabase(DOCS);
  await rows.count();
  return neighboursOf(rows, { descending: false, ...query }, id, new AbortController().signal);
}

describe('the neighbours of a document', () => {
  test.each<[string, Partial<RowsQuery>, string | undefined, string | undefined, number]>([
    ['a', {}, undefined, 'b', 1],
    ['b', {}, 'a', 'c', 2],
    ['d', {}, 'c', undefined, 4],
    ['b', { descending: true }, 'c', 'a', 3],
    ['d', { descending: true }, undefined, 'c', 1],
    ['b', { sort: 'n' }, 'c', 'a', 3],
    ['c', { where: { isEven: { eq: true } } }, 'a', undefined, 2],
  ])('finds those of %s in the order %j', async (id, query, previous, next, at) => {
    const count = query.where === undefined ? 4 : 2;
    expect(await around(id, query)).toEqual({ previous, next, at, count });
  });

  test('finds none for a document that the filter excludes, or that does not exist', async () => {
    expect(await around('b', { where: { isEven: { eq: true } } })).toBeUndefined();
    expect(await around('zz')).toBeUndefined();
  });
});
