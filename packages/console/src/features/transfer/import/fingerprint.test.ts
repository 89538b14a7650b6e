import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sameFields } from '../../../values/document-fields.ts';
import { fingerprintOf } from './fingerprint.ts';

const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.uint8Array());
const doc = fc.dictionary(fc.string(), value);

/** Returns the value with all fields in the opposite order. */
function reversed(some: unknown): unknown {
  if (Array.isArray(some)) return some.map(reversed);
  if (typeof some !== 'object' || some === null || some instanceof Uint8Array) return some;
  return Object.fromEntries(
    Object.entries(some)
      .reverse()
      .map(([name, part]) => [name, reversed(part)]),
  );
}

test('gives equal documents the same fingerprint, whatever their ids and the order of their fields', () => {
  fc.assert(
    fc.property(doc, (some) => {
      const other = { ...(reversed(some) as object), _id: 'another' };
      expect(fingerprintOf(other)).toBe(fingerprintOf({ _id: 'one', ...some }));
    }),
    { numRuns: 100 },
  );
});

test('gives different documents different fingerprints', () => {
  fc.assert(
    fc.property(doc, doc, (one, other) => {
      if (!sameFields(one, other)) expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
    }),
    { numRuns: 300 },
  );
});

test('tells 100,000 similar documents apart', () => {
  const prints = new Set<number>();
  for (let n = 0; n < 100_000; n += 1) prints.add(fingerprintOf({ n, kind: 'click' }));
  expect(prints.size).toBe(100_000);
});

test.each([
  [{ a: 1 }, { a: '1' }],
  [{ a: [1, 2] }, { a: ['1,2'] }],
  [{ a: null }, {}],
  [{ a: {} }, { a: [] }],
  [{ a: { b: 1 } }, { 'a.b': 1 }],
  [{ a: 'x' }, { a: 'y' }],
  [{ a: Uint8Array.of(1) }, { a: Uint8Array.of(2) }],
  [{ _files: { a: {} } }, { _files: { b: {} } }],
])('tells %j from %j', (one, other) => {
  expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
});

test('ignores the content of attached files', () => {
  const before = { _files: { 'a.txt': { bytes: Uint8Array.of(1) } } };
  const after = { _files: { 'a.txt': { cid: 'x', size: 1 } } };
  expect(fingerprintOf(before)).toBe(fingerprintOf(after));
});
