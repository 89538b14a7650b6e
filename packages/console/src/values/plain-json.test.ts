import { expect, test } from 'vitest';
import { fromPlain, toPlain } from './plain-json.ts';

/** Returns `inner` nested in `depth` lists, each of which contains an object. */
const nested = (depth: number, inner: unknown): unknown =>
  depth === 0 ? inner : [{ in: nested(depth - 1, inner) }];

test('returns values that JSON supports without copying them, in both directions', () => {
  const doc = { _id: 'a', list: [1, { b: [null, 'x'] }], n: -0.5 };
  expect(toPlain(doc)).toBe(doc);
  expect(fromPlain(doc)).toBe(doc);
});

test('restores deeply nested bytes without exponential work, and keeps the order of fields', () => {
  const doc = { first: 1, raw: nested(200, Uint8Array.of(1, 2)), last: 2 };
  const plain = toPlain(doc) as typeof doc;
  expect(Object.keys(plain)).toEqual(['first', 'raw', 'last']);
  expect(doc.raw).toEqual(nested(200, Uint8Array.of(1, 2)));
  expect(fromPlain(JSON.parse(JSON.stringify(plain)))).toEqual(doc);
});

test('treats a field named __proto__ like any other field', () => {
  const doc = JSON.parse('{"__proto__": {"raw": {"/": {"bytes": "AQI"}}}}') as object;
  const value = fromPlain(doc) as object;
  expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toEqual({ raw: Uint8Array.of(1, 2) });
  expect(JSON.stringify(toPlain(value))).toBe(JSON.stringify(doc));
});
