import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../codec/cid.ts';
import { applyOperations } from './apply.ts';
import { putMany } from './put-many.ts';
import { removeKey } from './remove.ts';
import { EMPTY_SHARD } from './shard.ts';
import { linkTo, someKey, somePuts, someValue, trieStore } from './trie.fixture.ts';

const someOperations = fc.array(
  fc.record({ key: someKey, value: fc.oneof({ weight: 3, arbitrary: someValue }, fc.constant(undefined)) }),
  { maxLength: 40 },
);

describe('operations on the trie', () => {
  test('puts all keys in one step if there are no removals', async () => {
    await fc.assert(
      fc.asyncProperty(somePuts, async (puts) => {
        const store = trieStore();
        const expected = await putMany(store.read, undefined, puts);
        const operations = puts.map(([key, value]) => ({ key, value }));
        expect(await applyOperations(store.read, undefined, operations)).toEqual(expected);
      }),
    );
  });

  test('applies removals one by one, and adds only shards that the result needs', async () => {
    await fc.assert(
      fc.asyncProperty(somePuts, someOperations, async (puts, operations) => {
        const steps = trieStore();
        const start = await putMany(steps.read, undefined, puts);
        steps.add(start.added);
        const atOnce = steps.fresh();
        let root = start.root;
        for (const { key, value } of operations) {
          const update =
            value === undefined
              ? await removeKey(steps.read, root, key)
              : await putMany(steps.read, root, [[key, value]]);
          steps.add(update.added);
          root = update.root;
        }
        const update = await applyOperations(atOnce.read, start.root, operations);
        expect(update.root).toBe(root);
        const reader = atOnce.fresh();
        reader.add(update.added);
        expect(await reader.list(update.root)).toEqual(await steps.list(root));
        const shards = new Set<Cid>();
        const visit = async (cid: Cid): Promise<void> => {
          shards.add(cid);
          for (const { child } of (await reader.read(cid)).entries)
            if (child !== undefined) await visit(child);
        };
        await visit(update.root);
        expect(update.added.filter(({ cid }) => !shards.has(cid))).toEqual([]);
      }),
    );
  });

  test('leaves the empty shard after removing the only key', async () => {
    const store = trieStore();
    const operations = [
      { key: 'a', value: linkTo(1) },
      { key: 'a', value: undefined },
    ];
    expect(await applyOperations(store.read, undefined, operations)).toEqual({
      root: EMPTY_SHARD.cid,
      added: [EMPTY_SHARD],
    });
  });

  test('changes nothing when removing a missing key', async () => {
    const store = trieStore();
    const { root, added } = await putMany(store.read, undefined, [
      ['ab', linkTo(1)],
      ['abc', linkTo(2)],
    ]);
    store.add(added);
    for (const key of ['', 'a', 'abcd', 'b', 'abd'])
      expect(await removeKey(store.read, root, key)).toEqual({ root, added: [] });
  });
});
