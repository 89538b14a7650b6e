import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEditRuns } from './edit-runs.ts';
import { type Edit, putMany } from './put-many.ts';
import { cborOf, nodeStore } from './tree.fixture.ts';

/** Keys in no order. The multiplier is odd, so they are unique. */
const keyOf = (n: number) => `key ${(Math.imul(n, 2654435761) >>> 0).toString(16)}`;

/** Adds edits in batches, and returns them merged. */
function merged(edits: readonly Edit[], batch: number): Edit[] {
  const runs = createEditRuns();
  for (let from = 0; from < edits.length; from += batch) runs.add(edits.slice(from, from + batch));
  return [...runs.merged()];
}

const inOrder = (edits: readonly Edit[]) => edits.toSorted((a, b) => (a[0] < b[0] ? -1 : 1));

describe('runs of edits', () => {
  test.each([0, 1, 4095, 4096, 4097, 20_000])('merges %i edits in the order of their keys', (count) => {
    const payloads = [undefined, null, new Uint8Array(), Uint8Array.of(1, 2, 3)];
    const edits = Array.from({ length: count }, (_, n): Edit => [keyOf(n), payloads[n % 4]]);
    expect(merged(edits, 500)).toEqual(inOrder(edits));
  });

  test('orders keys by their units, whatever characters and lengths they have', () => {
    const texts = [
      '',
      'a',
      'é',
      'ÿ',
      'Ā',
      '\u{1f30d}',
      '\ud800',
      '\uffff',
      'x'.repeat(10_000),
      `${'x'.repeat(9999)}y`,
    ];
    const edits = texts.map((key, at): Edit => [key, cborOf(at)]);
    const others = Array.from(
      { length: 9000 },
      (_, n): Edit => [`${n % 2 === 0 ? 'z' : '\u{1f30e}'}${n}`, null],
    );
    const all = [...others.slice(0, 4500), ...edits, ...others.slice(4500)];
    expect(merged(all, 100)).toEqual(inOrder(all));
  });

  test('keeps the last edit of a key in a batch', () => {
    const others = Array.from({ length: 5000 }, (_, n): Edit => [keyOf(n), null]);
    const twice: Edit[] = [
      ['same', undefined],
      ['same', null],
    ];
    for (const edits of [twice, [...twice, ...others]])
      expect(merged(edits, edits.length).filter(([key]) => key === 'same')).toEqual([['same', null]]);
  });

  test('builds the same tree as unsorted edits, and changes a tree in the same way', async () => {
    const payload = fc.option(fc.nat({ max: 9 }), { nil: undefined });
    const edit = fc.tuple(fc.nat({ max: 9000 }), payload);
    const steps = fc.array(fc.array(edit, { minLength: 4000, maxLength: 6000, size: 'max' }), {
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const [one, other] = [nodeStore(), nodeStore()];
        let roots: Awaited<ReturnType<typeof one.edit>>[] = [undefined, undefined];
        for (const step of all) {
          const edits = [...new Map(step)].map(([n, v]): Edit => [keyOf(n), v === undefined ? v : cborOf(v)]);
          const runs = createEditRuns();
          for (let from = 0; from < edits.length; from += 700) runs.add(edits.slice(from, from + 700));
          roots = [await one.edit(roots[0], edits), await other.edit(roots[1], runs.merged())];
          expect(roots[1]).toBe(roots[0]);
          expect([...other.blocks.keys()].sort()).toEqual([...one.blocks.keys()].sort());
        }
      }),
      { numRuns: 5 },
    );
  });

  test('keeps only some nodes of a large update decoded', async () => {
    const { read } = nodeStore();
    const edits = Array.from({ length: 200 }, (_, n): Edit => [keyOf(n), new Uint8Array(100_000)]);
    const { root, added } = await putMany(read, undefined, edits);
    const decoded = [...added.values()].filter(({ node }) => node !== undefined);
    const bytes = decoded.reduce((sum, node) => sum + node.bytes.length, 0);
    expect(bytes).toBeLessThanOrEqual(4_000_000);
    expect(decoded.length).toBeLessThan(added.size);
    expect(added.has(root as NonNullable<typeof root>)).toBe(true);
  });
});
