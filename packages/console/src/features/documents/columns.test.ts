import type { FieldUses } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { columnLabel, columnsAfter, columnsAreOld, columnsByUse } from './columns.ts';

const usesOf = (...fields: string[]): FieldUses =>
  ['_id', ...fields].map((field, at) => ({ field, documents: 9 - at }));

test('columns are the fields in the order of their use, the id first', () => {
  expect(columnsByUse(usesOf('often', 'rare'))).toEqual(['_id', 'often', 'rare']);
  expect(columnsByUse([])).toEqual(['_id']);
  expect(columnLabel('_id')).toBe('document id');
});

test('columns of an open table stay where they are; new fields come behind them', () => {
  const shown = columnsByUse(usesOf('x'));
  expect(columnsAfter(shown, usesOf('y', 'x', 'z'))).toEqual(['_id', 'x', 'y', 'z']);
  expect(columnsAfter(shown, usesOf('x'))).toBe(shown);
});

test('a table says when its columns no longer fit', () => {
  expect(columnsAreOld(['_id', 'x', 'y'], usesOf('x', 'y'))).toBe(false);
  expect(columnsAreOld(['_id', 'x', 'y'], usesOf('y', 'x'))).toBe(true);
  expect(columnsAreOld(['_id', 'x', 'gone'], usesOf('x'))).toBe(true);
});
