import { fieldPath } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { parseSearch, rowsQueryOf, sortedBy, type TableSearch, withSearch } from './table-search.ts';

const SEARCH: TableSearch = {
  text: 'a & b',
  conditions: [
    { field: 'year', test: 'at-least', value: '1843' },
    { field: 'a,"b', test: 'exists', value: '' },
  ],
  sort: 'title',
  descending: true,
};

test('parses the search from its address, and keeps other parameters', () => {
  const parameters = withSearch(new URLSearchParams('at=abc&find=old'), SEARCH);
  expect(parseSearch(new URLSearchParams(parameters.toString()))).toEqual(SEARCH);
  expect(parameters.get('at')).toBe('abc');
});

test('ignores malformed parts of an address', () => {
  const parameters = new URLSearchParams('where=x&where=[1]&where=["a","drop"]&where=null&sort=-');
  expect(parseSearch(parameters)).toEqual({ text: '', conditions: [], sort: undefined, descending: true });
});

test('combines conditions, and reads a value as a number if possible, but a quoted value as text', () => {
  expect(rowsQueryOf(SEARCH)).toEqual({
    where: { and: [{ year: { gte: 1843 } }, { 'a,"b': { exists: true } }] },
    texts: [{ text: 'a & b' }],
    sort: 'title',
    descending: true,
  });
  const conditions = [{ field: 'n', test: 'equals' as const, value: '"7"' }];
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
        conditions: [{ field, test: 'exists', value: '' }],
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
