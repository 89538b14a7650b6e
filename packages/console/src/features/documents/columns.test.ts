import type { FieldUses } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { columnLabel, columnsAfter, columnsAreOld, columnsByUse, columnsToRead } from './columns.ts';

const usesOf = (...fields: string[]): FieldUses =>
  ['_id', ...fields].map((field, at) => ({ field, documents: 9 - at }));

test('columns are the fields in the order of their use, the id first', () => {
  expect(columnsByUse(usesOf('often', 'rare'))).toEqual(['_id', 'often', 'rare']);
  expect(columnsByUse([])).toEqual(['_id']);
  expect(columnLabel('_id')).toBe('document id');
  expect(columnLabel('')).toBe('(empty name)');
  expect(columnLabel('n'.repeat(10_000)).length).toBeLessThan(200);
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

test('columns are read in groups: those in view, and what comes next to either side', () => {
  const all = Array.from({ length: 200 }, (_, at) => `f${at}`);
  const read = (...visible: number[]) =>
    columnsToRead(
      all,
      visible.map((at) => `f${at}`),
    );
  expect(read(0, 1, 2)).toEqual(all.slice(0, 20));
  expect(read(8, 10, 11)).toEqual(all.slice(0, 20));
  // The next group comes before its first column does.
  expect(read(10, 11, 12)).toEqual(all.slice(0, 40));
  // The first column is pinned.
  expect(read(0, 50)).toEqual([...all.slice(0, 20), ...all.slice(40, 60)]);
  expect(read(198)).toEqual(all.slice(180));
  expect(columnsToRead(['_id', 'a'], ['_id', 'a'])).toEqual(['_id', 'a']);
});
