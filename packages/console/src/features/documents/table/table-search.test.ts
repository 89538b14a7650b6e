import { fieldPath } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import {
  parseSearch,
  rowsQueryOf,
  sortedBy,
  type TableSearch,
  withFilter,
  withSearch,
} from './table-search.ts';

const SEARCH: TableSearch = {
  text: 'a & b',
  conditions: [
    { kind: 'test', path: 'year', test: 'at-least', value: 1843 },
    { kind: 'test', path: 'a,"b', test: 'exists' },
  ],
  sort: 'title',
  descending: true,
};

test('parses the search from its address, and keeps other parameters', () => {
  const parameters = withSearch(new URLSearchParams('at=abc&find=old&where=["x","exists"]'), SEARCH);
  expect(parseSearch(new URLSearchParams(parameters.toString()))).toEqual(SEARCH);
  expect([parameters.get('at'), parameters.get('where')]).toEqual(['abc', null]);
});

test('ignores malformed conditions of earlier versions', () => {
  const parameters = new URLSearchParams('where=x&where=[1]&where=["a","drop"]&where=null&sort=-');
  expect(parseSearch(parameters)).toEqual({ text: '', conditions: [], sort: undefined, descending: true });
});

test('keeps a filter that can’t be read until it is corrected', () => {
  const search = parseSearch(new URLSearchParams([['filter', 'a =']]));
  expect(search.malformed).toBe('a =');
  expect(withSearch(new URLSearchParams(), search).get('filter')).toBe('a =');
  expect(withFilter(search, [])).not.toHaveProperty('malformed');
});

test('combines conditions', () => {
  expect(rowsQueryOf(SEARCH)).toEqual({
    where: { and: [{ year: { gte: 1843 } }, { 'a,"b': { exists: true } }] },
    texts: [{ text: 'a & b' }],
    sort: 'title',
    descending: true,
  });
  const conditions = [{ kind: 'test', path: 'n', test: 'equals', value: '7' } as const];
  expect(rowsQueryOf({ ...SEARCH, text: '', conditions, sort: '_id' })).toEqual({
    where: { n: { eq: '7' } },
    texts: undefined,
    sort: undefined,
    descending: true,
  });
});

test('sorts ascending, then descending, then not at all when the user clicks a heading repeatedly', () => {
  const none = { ...SEARCH, sort: undefined, descending: false };
  const up = sortedBy(none, 'n');
  expect([up.sort, up.descending]).toEqual(['n', false]);
  const down = sortedBy(up, 'n');
  expect([down.sort, down.descending]).toEqual(['n', true]);
  expect(sortedBy(down, 'n')).toEqual(none);
});

test('keeps the sort field and the condition in the address for fields with any name', () => {
  for (const field of HOSTILE_NAMES)
    for (const descending of [false, true]) {
      const search = {
        text: '',
        conditions: [{ kind: 'test', path: fieldPath(field), test: 'exists' }],
        sort: field,
        descending,
      } as const;
      const address = withSearch(new URLSearchParams(), search).toString();
      expect(parseSearch(new URLSearchParams(address))).toEqual(search);
      expect(rowsQueryOf(search)).toEqual({
        where: { [fieldPath(field)]: { exists: true } },
        texts: undefined,
        sort: field,
        descending,
      });
    }
});
