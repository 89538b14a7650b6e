import { expect, test } from 'vitest';
import { freeLabel, labelOf } from './saved-queries.ts';

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
