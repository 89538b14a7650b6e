import { expect, test } from 'vitest';
import type { FieldSummary } from '../../local/ask.ts';
import { BY_USE, isTree, sortAfter, sortFields } from './sort-fields.ts';

const field = (path: string, more: Partial<FieldSummary> = {}): FieldSummary => ({
  path,
  steps: path.split('.').map((name) => ({ name, isEach: false })),
  ...{ documents: 50, possible: 50, types: [{ type: 'string', documents: 50 }], distinct: 1, isMore: false },
  ...{ values: undefined, examples: [], unusual: [], areDates: false, numbers: undefined, ...more },
});
const FIELDS = [
  field('b', { distinct: 7 }),
  field('place', { documents: 40 }),
  field('place.city', { documents: 39, possible: 40 }),
  field('__proto__', { documents: 2, distinct: 9 }),
];
const paths = (by: Parameters<typeof sortAfter>[1], isDescending: boolean) =>
  sortFields(FIELDS, { by, isDescending }).map(({ path }) => path);

test('keeps nested fields below their field by default', () => {
  expect(isTree(BY_USE)).toBe(true);
  expect(sortFields(FIELDS, BY_USE)).toBe(FIELDS);
});

test('sorts by name, documents, values and outliers', () => {
  expect(paths('field', false)).toEqual(['__proto__', 'b', 'place', 'place.city']);
  expect(paths('field', true)[0]).toBe('place.city');
  expect(paths('documents', false)[0]).toBe('__proto__');
  expect(paths('values', true).slice(0, 2)).toEqual(['__proto__', 'b']);
  expect(paths('outliers', true)[0]).toBe('place.city');
});

test('begins with the largest numbers, and with the first name', () => {
  expect(sortAfter(BY_USE, 'values')).toEqual({ by: 'values', isDescending: true });
  expect(sortAfter(BY_USE, 'field')).toEqual({ by: 'field', isDescending: false });
  expect(sortAfter(BY_USE, 'documents')).toEqual({ by: 'documents', isDescending: false });
});
