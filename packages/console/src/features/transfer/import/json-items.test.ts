import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ItemsIn, JsonItems } from './json-items.ts';

function split(text: string, itemsIn: ItemsIn, size = text.length) {
  const items = new JsonItems(itemsIn);
  const found = [];
  for (let at = 0; at < text.length; at += Math.max(1, size))
    found.push(...items.push(text.slice(at, at + Math.max(1, size))));
  found.push(...items.end());
  const { faults, lists, maps, isSequence } = items;
  return { items: found, faults, lists, maps, isSequence };
}

test('splits a list into the texts of its items, with the place of each', () => {
  const { items, faults } = split('[\n  {"a": "],[{"},\n  [1, "\\"]"], "x",\n\n7]', 'list');
  expect(faults).toEqual([]);
  expect(items).toEqual([
    { text: '{"a": "],[{"}', line: 2, column: 3 },
    { text: '[1, "\\"]"]', line: 3, column: 3 },
    { text: '"x"', line: 3, column: 15 },
    { text: '7', line: 5, column: 1 },
  ]);
});

test('splits the list in a field of an object, and ignores lists elsewhere', () => {
  const text = '{"meta": {"rows": [0]}, "rows": [{"rows": [1]}, {}], "n": 2, "more": []}';
  const { items, lists } = split(text, { field: 'rows' });
  expect(items.map((item) => item.text)).toEqual(['{"rows": [1]}', '{}']);
  expect(lists).toEqual([
    { field: 'rows', items: 2, hasObjects: true },
    { field: 'more', items: 0, hasObjects: false },
  ]);
});

test('splits the object in a field of an object, with the names of its items', () => {
  const text = '{"n": {"a": 1}, "rows": {"a": {"b": {}}, "c:,\\"": {"d": "e,f"}, "g": {}}, "more": {}}';
  for (const size of [1, 2, 5, text.length]) {
    const { items, maps, faults } = split(text, { field: 'rows', isMap: true }, size);
    expect(items.map(({ key, text: one }) => [key, one])).toEqual([
      ['a', '{"b": {}}'],
      ['c:,"', '{"d": "e,f"}'],
      ['g', '{}'],
    ]);
    expect([maps, faults]).toEqual([
      [
        { field: 'n', items: 1, objects: 0 },
        { field: 'rows', items: 3, objects: 3 },
        { field: 'more', items: 0, objects: 0 },
      ],
      [],
    ]);
  }
});

test('finds the same items of an object in pieces of any size', () => {
  const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 9 }), (rows, size) => {
      const text = JSON.stringify({ before: {}, rows, after: { rows: 1 } });
      const found = split(text, { field: 'rows', isMap: true }, size);
      const read = found.items.map(({ key, text: one }) => [key, JSON.parse(one) as unknown]);
      expect(read).toEqual(Object.entries(JSON.parse(JSON.stringify(rows)) as object));
      const counted = found.maps.find(({ field }) => field === 'rows');
      const objects = read.filter(
        ([, value]) => typeof value === 'object' && value !== null && !Array.isArray(value),
      );
      expect(counted).toEqual({ field: 'rows', items: read.length, objects: objects.length });
    }),
    { numRuns: 100 },
  );
});

test('finds the same items in pieces of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.integer({ min: 1, max: 9 }), (values, size) => {
      for (const indent of [undefined, 2]) {
        const list = split(JSON.stringify(values, undefined, indent), 'list', size);
        expect(list.faults).toEqual([]);
        expect(list.items.map(({ text }) => JSON.parse(text) as unknown)).toEqual(
          JSON.parse(JSON.stringify(values)),
        );
        const text = JSON.stringify({ before: 1, rows: values, after: [2] }, undefined, indent);
        const rows = split(text, { field: 'rows' }, size);
        expect(rows.items.map((item) => item.text)).toEqual(
          split(text, { field: 'rows' }).items.map((item) => item.text),
        );
        expect(rows.items.length).toBe(values.length);
        expect(rows.lists.map(({ items }) => items)).toEqual([values.length, 1]);
        expect(split(text, 'whole', size).items.map((item) => item.text)).toEqual([text]);
      }
    }),
    { numRuns: 100 },
  );
});

test.each([
  ['[{"a": 1}', { line: 1, column: 1 }, /ends before the end of the list/],
  ['[\n {"a": 1}\n}', { line: 3, column: 1 }, /Expected \], but found }/],
  ['[1]]', { line: 1, column: 4 }, /ends before this character/],
  ['[\n"a\n, 2]', { line: 2, column: 1 }, /no closing quote/],
])('reports where %j is broken', (text, place, why) => {
  const { faults } = split(text, 'list');
  expect(faults[0]).toMatchObject(place);
  expect(faults[0]?.why).toMatch(why);
});

test('recognises several values, as in a file with one value per line', () => {
  expect(split('{"a": 1}\n{"b": 2}\n', 'whole').isSequence).toBe(true);
  expect(split('{"a": 1}\n', 'whole').isSequence).toBe(false);
});
