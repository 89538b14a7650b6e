import { expect, test } from 'vitest';
import { freeLabel, labelOf } from './saved-queries.ts';

test('a query without a name is called by its number', () => {
  expect([{ name: 'Open orders' }, {}, { name: ' ' }, { name: 5 }].map(labelOf)).toEqual([
    'Open orders',
    'Query 2',
    'Query 3',
    'Query 4',
  ]);
});

test('the label that is offered for a new query is the next number that is free', () => {
  expect(freeLabel([])).toBe('Query 1');
  expect(freeLabel([{ name: 'a' }, { name: 'Query 3' }])).toBe('Query 4');
  expect(freeLabel([{ name: 'Query 2' }])).toBe('Query 3');
});
