import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keysIn, nodeStore, putsOf } from './tree.fixture.ts';

const numbered = (count: number) => Array.from({ length: count }, (_, n) => String(n).padStart(5, '0'));

describe('scan', () => {
  test('yields the keys within any bounds, in either direction', async () => {
    const store = nodeStore();
    const keys = numbered(400);
    const root = await store.edit(undefined, putsOf(keys));
    const bound = fc.option(
      fc.integer({ min: -5, max: 405 }).map((n) => String(n).padStart(5, '0')),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(bound, bound, fc.boolean(), async (from, to, descending) => {
        const expected = keys.filter((key) => (from ?? '') <= key && (to === undefined || key < to));
        expect(await keysIn(store.read, root, { from, to, descending })).toEqual(
          descending ? expected.toReversed() : expected,
        );
      }),
    );
  });

  test('reads few nodes for a small range of a large tree', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, putsOf(numbered(10_000)));
    const before = store.reads();
    expect(await keysIn(store.read, root, { from: '05000', to: '05090' })).toHaveLength(90);
    expect(store.reads() - before).toBeLessThan(20);
  });

  test('reads no further nodes when the caller stops early', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, putsOf(numbered(10_000)));
    const { scan } = await import('./scan.ts');
    const before = store.reads();
    for await (const entries of scan(store.read, root, { descending: true })) {
      expect(entries[0]?.[0]).toBe('09999');
      break;
    }
    expect(store.reads() - before).toBeLessThan(6);
  });
});
