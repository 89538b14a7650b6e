import { expect, test } from 'vitest';
import type { FieldSummary } from '../../local/ask.ts';
import { textOfParts } from '../filter/filter-text.ts';
import { outlierCount, outliersOf } from './outliers.ts';

const FIELD: FieldSummary = {
  path: 'n',
  steps: [{ name: 'n', isEach: false }],
  documents: 100,
  possible: 100,
  types: [{ type: 'number', documents: 100 }],
  distinct: 100,
  isMore: false,
  values: undefined,
  examples: [],
  unusual: [],
  areDates: false,
  numbers: undefined,
};
const found = (more: Partial<FieldSummary>) =>
  outliersOf({ ...FIELD, ...more }).map(({ text, documents, filters }) => [
    documents,
    text,
    textOfParts(filters),
  ]);

test('finds rare types, missing fields and distant numbers, each with a filter', () => {
  expect(found({})).toEqual([]);
  const types = [
    { type: 'number' as const, documents: 98 },
    { type: 'string' as const, documents: 2 },
  ];
  expect(found({ types })).toEqual([[2, '2 documents with text where others have number', 'n is text']]);
  expect(found({ documents: 99 })).toEqual([[1, '1 document without this field', 'n is missing']]);
  const nested = {
    path: 'a.n',
    steps: ['a', 'n'].map((name) => ({ name, isEach: false })),
    possible: 50,
    documents: 49,
  };
  expect(found(nested)).toEqual([[1, '1 document without this field', 'a is object and a.n is missing']]);
  const numbers = {
    ...{ min: 0, max: 900, average: 5, ranges: [], isSample: false, isLog: false, far: 3 },
    usual: [1, 9] as const,
  };
  expect(found({ numbers })).toEqual([
    [3, '3 documents with a number far from the others', 'n < 1 or n > 9'],
  ]);
});

test('finds nothing unusual in a field that many documents lack, or that has many types', () => {
  expect(found({ documents: 60 })).toEqual([]);
  const types = [
    { type: 'number' as const, documents: 60 },
    { type: 'string' as const, documents: 40 },
  ];
  expect(found({ types })).toEqual([]);
});

test('names the first documents with a rare type', () => {
  const unusual = [{ type: 'string' as const, id: 'gon', title: 'Gondi', text: '"2.9 million"' }];
  const types = [
    { type: 'number' as const, documents: 98 },
    { type: 'string' as const, documents: 1 },
    { type: 'null' as const, documents: 1 },
  ];
  expect(outliersOf({ ...FIELD, types, unusual }).map(({ named }) => named)).toEqual([unusual, []]);
  expect(outlierCount({ ...FIELD, types, unusual })).toBe(2);
});
