import { expect, test } from 'vitest';
import { filterIn, searchOfFilter, setFilter } from './filter-address.ts';

test('reads the conditions that earlier versions wrote', () => {
  const parameters = new URLSearchParams([
    ['where', '["year","at-least","1843"]'],
    ['where', '["a.b","contains","7"]'],
    ['where', '["or","exists"]'],
    ['where', '["a","drop"]'],
    ['where', '{not-json'],
  ]);
  expect(filterIn(parameters)).toEqual({
    parts: [
      { kind: 'test', path: 'year', test: 'at-least', value: 1843 },
      { kind: 'test', path: 'a\\.b', test: 'contains', value: '7' },
      { kind: 'test', path: '\\or', test: 'exists' },
    ],
    malformed: undefined,
  });
  setFilter(parameters, filterIn(parameters).parts);
  expect(parameters.toString()).not.toContain('where');
  expect(parameters.get('filter')).toBe('year >= 1843 and "a.b" contains "7" and "or" exists');
});

test('keeps a text that is no filter, so that the user can correct it', () => {
  const parameters = new URLSearchParams([['filter', 'year >']]);
  expect(filterIn(parameters)).toEqual({ parts: [], malformed: 'year >' });
});

test('links to the documents of a filter', () => {
  expect(searchOfFilter([])).toBe('');
  const search = searchOfFilter([{ kind: 'test', path: 'n', test: 'type', value: 'string' }]);
  expect(new URLSearchParams(search).get('filter')).toBe('n is text');
});

test.each([
  '["a","in","x"]',
  '["a","matches","("]',
  '["a","type","drop"]',
  '["a","starts","5"]',
  '["a","less","{}"]',
  '["a","constructor"]',
  '[["a"],"exists"]',
  '{"0":"a","1":"exists"}',
])('drops a condition that no filter can have: %s', (where) => {
  expect(filterIn(new URLSearchParams({ where }))).toEqual({ parts: [], malformed: undefined });
});

test('applies conditions of earlier versions together with the text', () => {
  const parameters = new URLSearchParams({ where: '["a","exists"]', filter: 'b = 1 or c = 2', at: '7' });
  const { parts } = filterIn(parameters);
  setFilter(parameters, parts);
  expect(Object.fromEntries(parameters)).toEqual({ at: '7', filter: 'a exists and (b = 1 or c = 2)' });
  expect(filterIn(parameters).parts).toEqual(parts);
  setFilter(parameters, []);
  expect(parameters.toString()).toBe('at=7');
});
