import { expect, test } from 'vitest';
import { freeLabel, isView, labelOf, savedPath } from './saved-queries.ts';

test('labels a query without a name by its number', () => {
  expect([{ name: 'Open orders' }, {}, { name: ' ' }, { name: 5 }].map(labelOf)).toEqual([
    'Open orders',
    'Query 2',
    'Query 3',
    'Query 4',
  ]);
});

test('offers the next free number as the label of a new query', () => {
  expect(freeLabel([])).toBe('Query 1');
  expect(freeLabel([{ name: 'a' }, { name: 'Query 3' }])).toBe('Query 4');
  expect(freeLabel([{ name: 'Query 2' }])).toBe('Query 3');
});

test('tells views from queries, and opens each by its own path', () => {
  const pages = { all: '/db', query: '/db/query' };
  const view = { _id: 'a b', name: 'Adults', view: 'filter=age+%3E+17' };
  expect([isView(view), savedPath(view, pages)]).toEqual([true, '/db?view=a%20b&filter=age+%3E+17']);
  expect(savedPath({ _id: 'a', view: '' }, pages)).toBe('/db?view=a');
  const query = { _id: 'a b', name: 'By age', source: '() => 1' };
  expect([isView(query), savedPath(query, pages)]).toEqual([false, '/db/query/a%20b']);
});
