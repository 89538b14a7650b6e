import type { RowWindow } from 'fixpoint/rows';
import { expect, test } from 'vitest';
import { createChunks } from './row-chunks.ts';

type Values = Readonly<Record<string, string>>;

const windowOf = (ids: readonly string[], values: Values, unsent: readonly string[] = []): RowWindow => ({
  fields: ['n', 'place'],
  rows: ids.map((id) => ({
    id,
    cells: [{ text: values[id] ?? '', kind: 'text', cut: false }, undefined],
    ...(unsent.includes(id) && { isUnsent: true as const }),
  })),
  at: 0,
  total: ids.length,
  clock: [] as unknown as RowWindow['clock'],
});
const IDS = ['a', 'b', 'c'];

test('keeps the object of a row with unchanged content, even if the row moved', () => {
  const chunks = createChunks(2);
  chunks.put(0, windowOf(IDS, { a: '1', b: '2', c: '3' }), 4);
  const [a, b, c] = [chunks.rowAt(0), chunks.rowAt(1), chunks.rowAt(2)];
  chunks.replace(0, windowOf(['new', ...IDS], { a: '1', b: 'two', c: '3' }, ['c']), 4);
  expect(chunks.rowAt(1)).toBe(a);
  expect(chunks.rowAt(2)).not.toBe(b);
  expect(chunks.rowAt(2)?.cell('n')?.text).toBe('two');
  expect(chunks.rowAt(3)).not.toBe(c);
  expect([chunks.rowAt(3)?.isUnsent, chunks.indexOf('c')]).toEqual([true, 3]);
});

test('creates a new object for a row that is read with other fields, even if their cells are empty', () => {
  const chunks = createChunks(2);
  const read = windowOf(['a'], { a: '1' });
  chunks.put(0, read, 2);
  const before = chunks.rowAt(0);
  chunks.put(0, { ...read, fields: ['n', 'year'] }, 2);
  expect(chunks.rowAt(0)).not.toBe(before);
  expect(chunks.missing(0, 0, ['year'])).toBeUndefined();
  expect(chunks.missing(0, 0, ['place'])).toBe(0);
});

test('drops the rows at all other positions when rows are replaced', () => {
  const chunks = createChunks(2);
  chunks.put(0, windowOf(['a', 'b'], {}), 2);
  chunks.put(2, windowOf(['c', 'd'], {}), 2);
  chunks.replace(2, windowOf(['c'], {}), 2);
  expect([chunks.rowAt(0), chunks.indexOf('a'), chunks.indexOf('c')]).toEqual([undefined, undefined, 2]);
});

test('reads a chunk again when a search finds more of its rows, but not for deleted ones', () => {
  const chunks = createChunks(4);
  chunks.put(0, windowOf(['a', 'b'], {}), 2);
  expect(chunks.missing(0, 1, [])).toBeUndefined();
  expect(chunks.missing(0, 2, [])).toBe(0);
  chunks.put(0, windowOf(['a', 'b'], {}), 4);
  expect(chunks.missing(0, 3, [])).toBeUndefined();
});
