import type { FieldUses } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { columnsAfter, columnsAreOld, columnsByUse, columnsToRead } from './columns.ts';

const usesOf = (...fields: string[]): FieldUses =>
  ['_id', ...fields].map((field, at) => ({ field, documents: 9 - at }));

test('orders columns by use, with the id first', () => {
  expect(columnsByUse(usesOf('often', 'rare'))).toEqual(['_id', 'often', 'rare']);
  expect(columnsByUse([])).toEqual(['_id']);
});

test('keeps the columns of an open table in place, and appends new fields', () => {
  const shown = columnsByUse(usesOf('x'));
  expect(columnsAfter(shown, usesOf('y', 'x', 'z'))).toEqual(['_id', 'x', 'y', 'z']);
  expect(columnsAfter(shown, usesOf('x'))).toBe(shown);
});

test('reports when the columns of a table are out of date', () => {
  expect(columnsAreOld(['_id', 'x', 'y'], usesOf('x', 'y'))).toBe(false);
  expect(columnsAreOld(['_id', 'x', 'y'], usesOf('y', 'x'))).toBe(true);
  expect(columnsAreOld(['_id', 'x', 'gone'], usesOf('x'))).toBe(true);
});

test('reads columns in groups: those in view, and their neighbours on both sides', () => {
  const all = Array.from({ length: 200 }, (_, at) => `f${at}`);
  const read = (...visible: number[]) =>
    columnsToRead(
      all,
      visible.map((at) => `f${at}`),
    );
  expect(read(0, 1, 2)).toEqual(all.slice(0, 20));
  expect(read(8, 10, 11)).toEqual(all.slice(0, 20));
  // The next group is read before its first column is in view.
  expect(read(10, 11, 12)).toEqual(all.slice(0, 40));
  // The first column is pinned.
  expect(read(0, 50)).toEqual([...all.slice(0, 20), ...all.slice(40, 60)]);
  expect(read(198)).toEqual(all.slice(180));
  expect(columnsToRead(['_id', 'a'], ['_id', 'a'])).toEqual(['_id', 'a']);
});
