import fc from 'fast-check';
import type { Stored } from 'fixpoint';
import { expect, test } from 'vitest';
import { compareDatabases, SHOWN_MAX } from './compare-databases.ts';

/** Returns a database whose scan yields batches of this size, some of them empty. */
const holding = (docs: readonly Stored[], batch = 2) => ({
  rows: {
    async *scan<T extends object>() {
      const sorted = docs.toSorted((a, b) => (a._id < b._id ? -1 : 1));
      for (let at = 0; at < sorted.length; at += batch) {
        yield [];
        yield sorted.slice(at, at + batch) as Stored<T>[];
      }
    },
  },
});
const { signal } = new AbortController();
const compare = (a: readonly Stored[], b: readonly Stored[]) =>
  compareDatabases(holding(a), holding(b, 3), { signal });

test('lists documents that only one side has and documents that differ, sorted by id, and counts equal ones', async () => {
  const found = await compare(
    [
      { _id: 'a', n: 1 },
      { _id: 'b', n: 1 },
      { _id: 'd', n: 1, m: [2] },
    ],
    [{ _id: 'b', n: 2 }, { _id: 'c', n: 1 }, { _id: 'd', m: [2], n: 1 }, { _id: 'e' }],
  );
  expect(found).toEqual({
    changes: [
      { id: 'a', before: { _id: 'a', n: 1 } },
      { id: 'b', before: { _id: 'b', n: 1 }, after: { _id: 'b', n: 2 } },
      { id: 'c', after: { _id: 'c', n: 1 } },
      { id: 'e', after: { _id: 'e' } },
    ],
    differing: 4,
    onlyBefore: 1,
    onlyAfter: 2,
    same: 1,
  });
});

test('counts each document once, for any two databases', async () => {
  const docs = fc.uniqueArray(fc.record({ _id: fc.string({ minLength: 1 }), n: fc.nat(1) }), {
    selector: ({ _id }) => _id,
  });
  await fc.assert(
    fc.asyncProperty(docs, docs, async (a, b) => {
      const { changes, same, differing } = await compare(a, b);
      const ids = new Set([...a, ...b].map(({ _id }) => _id));
      const equal = a.filter(({ _id, n }) => b.some((other) => other._id === _id && other.n === n));
      expect([same, differing]).toEqual([equal.length, ids.size - equal.length]);
      expect(changes.map(({ id }) => id)).toEqual(
        [...ids].filter((id) => !equal.some(({ _id }) => _id === id)).sort(),
      );
    }),
  );
});

test('compares files by their content, not by where they are stored', async () => {
  const withFile = (cid: string, car: string): Stored => ({
    _id: 'a',
    _files: { 'a.txt': { cid, car: [car], size: 1, type: 'text/plain', lastModified: 1 } },
  });
  expect((await compare([withFile('x', 'here')], [withFile('x', 'there')])).same).toBe(1);
  expect((await compare([withFile('x', 'here')], [withFile('y', 'here')])).differing).toBe(1);
});

test('keeps the first 1,000 differences, and counts all of them', async () => {
  const many = Array.from({ length: SHOWN_MAX + 5 }, (_, n) => ({ _id: String(n).padStart(6, '0') }));
  const { changes, differing } = await compareDatabases(holding(many, 400), holding([]), { signal });
  expect([changes.length, differing]).toEqual([SHOWN_MAX, SHOWN_MAX + 5]);
});
