import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode, link } from '../codec/dag-cbor.ts';
import { getMany } from './locate.ts';
import { endsNode, isLeaf, nodeBytes } from './node.ts';
import { type Edit, putMany } from './put-many.ts';
import { cborOf, keysIn, nodeStore, nodesIn, putsOf } from './tree.fixture.ts';

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => `key-${String(n).padStart(6, '0')}`);

describe('putMany', () => {
  test('returns no root for an empty tree', async () => {
    const { edit, blocks } = nodeStore();
    expect(await edit(undefined, [])).toBeUndefined();
    const root = await edit(undefined, putsOf(['a', 'b']));
    expect(
      await edit(root, [
        ['a', undefined],
        ['b', undefined],
      ]),
    ).toBeUndefined();
    expect(blocks.size).toBe(0);
  });

  test('returns a root that depends only on the content', async () => {
    const { edit, read } = nodeStore();
    const keys = numbered(2000);
    const atOnce = await edit(undefined, putsOf(keys));
    const inSteps = nodeStore();
    let root = await inSteps.edit(undefined, putsOf(keys.filter((_, at) => at % 7 === 3)));
    root = await inSteps.edit(root, putsOf(keys.filter((_, at) => at % 7 < 3).toReversed()));
    root = await inSteps.edit(root, putsOf(['never', 'to', 'stay', '', '\uffff']));
    root = await inSteps.edit(root, putsOf(keys.filter((_, at) => at % 7 > 3)));
    root = await inSteps.edit(
      root,
      ['never', 'to', 'stay', '', '\uffff'].map((key): Edit => [key, undefined]),
    );
    expect(root).toBe(atOnce);
    expect(await keysIn(read, atOnce)).toEqual(keys);
  });

  test('creates the same nodes by any sequence of edits as by building the tree at once', async () => {
    const key = fc.integer({ min: 0, max: 400 }).map((n) => `k${n}`);
    const edit = fc.tuple(key, fc.option(fc.integer({ min: 0, max: 9 }), { nil: undefined }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { maxLength: 300, size: 'max' }), { maxLength: 8 }),
        async (steps) => {
          const store = nodeStore((reads) => reads % 3 > 0);
          const content = new Map<string, number>();
          let root: Awaited<ReturnType<typeof store.edit>>;
          for (const step of steps) {
            root = await store.edit(
              root,
              step.map(([k, v]): Edit => [k, v === undefined ? v : cborOf(v)]),
            );
            for (const [k, v] of step)
              if (v === undefined) content.delete(k);
              else content.set(k, v);
          }
          const built = nodeStore();
          expect(root).toBe(
            await built.edit(
              undefined,
              [...content].map(([k, v]): Edit => [k, cborOf(v)]),
            ),
          );
          expect(new Set(store.blocks.keys())).toEqual(new Set(built.blocks.keys()));
          expect(await keysIn(store.read, root)).toEqual([...content.keys()].sort());
        },
      ),
      { numRuns: 30 },
    );
  });

  test('ends nodes exactly where `endsNode` is true, except the last node of each level', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, putsOf(numbered(3000)));
    const nodes = [...(await nodesIn(store.read, root)).values()];
    const openPerLevel = new Map<number, number>();
    for (const { level, entries, closed } of nodes) {
      const ends = entries.map((entry) => endsNode(nodeBytes().append(entry)));
      expect(ends.slice(0, -1)).not.toContain(true);
      expect(ends.at(-1)).toBe(closed);
      if (!closed) openPerLevel.set(level, (openPerLevel.get(level) ?? 0) + 1);
    }
    expect([...openPerLevel.values()].every((open) => open <= 1)).toBe(true);
    expect(nodes.filter(isLeaf).length).toBeGreaterThan(3000 / 60);
    expect(nodes.filter(isLeaf).length).toBeLessThan(3000 / 15);
  });

  test('reads and writes few nodes when changing few keys of many', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, putsOf(numbered(5000)));
    const before = store.reads();
    const { added, removed } = await putMany(store.read, root, putsOf(['key-002500'], 1));
    expect(added.size).toBeLessThan(8);
    expect(removed.size).toBeLessThan(8);
    expect(store.reads() - before).toBeLessThan(20);
  });

  test('changes nothing when putting existing values', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, putsOf(numbered(500)));
    const again = await putMany(store.read, root, putsOf(numbered(500)));
    expect(again).toEqual({ root, added: new Map(), removed: new Set() });
  });

  test('encodes a node as canonical dag-cbor', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, [
      ['', null],
      ['é', cborOf('x'.repeat(300))],
      ['k'.repeat(64), cborOf('')],
      ['k'.repeat(65), null],
      [`${'k'.repeat(30)}é`, null],
      ['x'.repeat(300), cborOf('x'.repeat(70_000))],
      ...putsOf(numbered(1500)),
    ]);
    for (const [cid, node] of await nodesIn(store.read, root)) {
      const { level, entries, closed } = node;
      const same = isLeaf(node)
        ? { leaf: entries, closed }
        : { branch: [level, node.entries.map(([key, child]) => [key, link(child)])], closed };
      expect(store.blocks.get(cid)).toEqual(Uint8Array.from(encode(same)));
    }
    const bytes = nodeBytes();
    bytes.append(['a', null]);
    expect(decode(bytes.take(0, true).bytes)).toEqual({
      leaf: [['a', null]],
      closed: true,
    });
  });
});

describe('getMany', () => {
  test('finds existing keys, in whatever order they are requested', async () => {
    const store = nodeStore();
    const root = await store.edit(undefined, putsOf(numbered(1000)));
    const asked = ['key-000999', '', 'key-000000', 'key-000500x', 'key-000400', 'zzz', 'key-000401'];
    const found = await getMany(store.read, root, asked);
    expect([...found.keys()]).toEqual(['key-000999', 'key-000000', 'key-000400', 'key-000401']);
    expect(await getMany(store.read, undefined, asked)).toEqual(new Map());
  });
});
