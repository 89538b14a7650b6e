import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnLabel, columnsAfter, columnsByUse, countFields, type FieldUses } from './columns.ts';

function usesOf(docs: readonly Record<string, unknown>[]): FieldUses {
  const uses: FieldUses = new Map();
  for (const doc of docs) countFields(uses, doc, 1);
  return uses;
}

test('columns are the union of the fields, the id first, the others by how many documents use them', () => {
  const docs = [
    { rare: 1, often: 1, _id: 'a' },
    { often: 2, _id: 'b' },
    { also: 1, often: 3, _id: 'c' },
    { also: 2, _id: 'd' },
  ];
  expect(columnsByUse(usesOf(docs))).toEqual(['_id', 'often', 'also', 'rare']);
  expect(columnsByUse(new Map())).toEqual(['_id']);
  expect(columnLabel('_id')).toBe('document id');
});

test('a field named like a part of an object is a column as any other', () => {
  const doc = JSON.parse('{"_id": "a", "__proto__": 1, "constructor": 2}') as Record<string, unknown>;
  expect(columnsByUse(usesOf([doc]))).toEqual(['_id', '__proto__', 'constructor']);
});

test('columns of an open table stay where they are; new fields come behind them', () => {
  const shown = columnsByUse(usesOf([{ _id: 'a', x: 1 }]));
  const later = usesOf([
    { _id: 'b', y: 1, z: 1 },
    { _id: 'c', y: 1 },
  ]);
  expect(columnsAfter(shown, later)).toEqual(['_id', 'x', 'y', 'z']);
  expect(columnsAfter(shown, usesOf([{ _id: 'a', x: 1 }]))).toBe(shown);
});

test('counting document by document is the same as counting what is left', () => {
  const doc = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer());
  fc.assert(
    fc.property(fc.array(fc.tuple(doc, fc.boolean())), (docs) => {
      const uses = usesOf(docs.map(([one]) => one));
      for (const [one, removed] of docs) if (removed) countFields(uses, one, -1);
      const left = docs.filter(([, removed]) => !removed).map(([one]) => one);
      expect(columnsByUse(uses)).toEqual(columnsByUse(usesOf(left)));
    }),
  );
});
