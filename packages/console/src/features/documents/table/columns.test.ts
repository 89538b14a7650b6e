import type { FieldUses, RowWindow } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { columnsAfter, columnsAreOld, columnsByUse, columnsToRead, fieldsByUse } from './columns.ts';

const usesOf = (...fields: string[]): FieldUses =>
  ['_id', ...fields].map((field, at) => ({ field, documents: 9 - at }));

const NO_PLACES = new Map<string, number>();
/** The places of fields in a file with this header. */
const placesIn = (...header: string[]) => new Map(header.map((field, at) => [field, at]));
const equal = (...fields: string[]): FieldUses => fields.map((field) => ({ field, documents: 3 }));

test('orders columns by use, with the id first', () => {
  expect(columnsByUse(usesOf('often', 'rare'), NO_PLACES)).toEqual(['_id', 'often', 'rare']);
  expect(columnsByUse([], NO_PLACES)).toEqual(['_id']);
});

test('orders fields of equal use as an imported file has them, then the others by name', () => {
  const places = placesIn('name', 'price', 'rare', 'amount');
  const uses = [...equal('_id', 'amount', 'else', 'name', 'price'), { field: 'rare', documents: 1 }];
  const fitting = ['_id', 'name', 'price', 'amount', 'else', 'rare'];
  expect(columnsByUse(uses, places)).toEqual(fitting);
  expect(columnsAreOld(fitting, uses, places)).toBe(false);
  expect(columnsAreOld(fitting, uses, NO_PLACES)).toBe(true);
  expect(columnsAfter(['_id', 'else'], uses, places)).toEqual([
    '_id',
    'else',
    'name',
    'price',
    'amount',
    'rare',
  ]);
});

test('orders the fields of the first rows in the same way', () => {
  const rowOf = (...cells: (string | undefined)[]) => ({ id: 'x', cells });
  const rows = [rowOf('a', 'b', 'c'), rowOf('a', undefined, 'c')];
  const window = { fields: ['a', 'b', 'c'], rows } as unknown as RowWindow;
  expect(fieldsByUse(window, NO_PLACES)).toEqual(['a', 'c', 'b']);
  expect(fieldsByUse(window, placesIn('c', 'b', 'a'))).toEqual(['c', 'a', 'b']);
  expect(fieldsByUse({ ...window, fields: ['c', 'b', '_id'] }, NO_PLACES)).toEqual(['_id', 'c', 'b']);
});

test('keeps the columns of an open table in place, and appends new fields', () => {
  const shown = columnsByUse(usesOf('x'), NO_PLACES);
  expect(columnsAfter(shown, usesOf('y', 'x', 'z'), NO_PLACES)).toEqual(['_id', 'x', 'y', 'z']);
  expect(columnsAfter(shown, usesOf('x'), NO_PLACES)).toBe(shown);
});

test('reports when the columns of a table are out of date', () => {
  expect(columnsAreOld(['_id', 'x', 'y'], usesOf('x', 'y'), NO_PLACES)).toBe(false);
  expect(columnsAreOld(['_id', 'x', 'y'], usesOf('y', 'x'), NO_PLACES)).toBe(true);
  expect(columnsAreOld(['_id', 'x', 'gone'], usesOf('x'), NO_PLACES)).toBe(true);
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
