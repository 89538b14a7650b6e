import { expect, test } from 'vitest';
import { columnsOf, previewOf } from './columns.ts';

test('columns are the union of fields, the id first, the others by use', () => {
  const docs = [
    { rare: 1, often: 1, _id: 'a' },
    { often: 2, _id: 'b' },
    { also: 1, often: 3, _id: 'c' },
    { also: 2, _id: 'd' },
  ];
  expect(columnsOf(docs)).toEqual(['_id', 'often', 'also', 'rare']);
  expect(columnsOf([])).toEqual(['_id']);
});

test('a cell shows at most 256 characters', () => {
  expect(previewOf('x'.repeat(1000))).toHaveLength(257);
  expect(previewOf({ a: [1, null] })).toBe('{"a":[1,null]}');
  expect(previewOf(undefined)).toBe('');
});
