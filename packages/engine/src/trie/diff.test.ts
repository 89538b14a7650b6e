import fc from 'fast-check';
import { expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import type { Cid } from '../codec/cid.ts';
import { diffTries, diffTriesInRuns, type KeyChange } from './diff.ts';
import { putMany } from './put-many.ts';
import type { ReadShard } from './shard.ts';
import { linkTo, somePuts, trieStore } from './trie.fixture.ts';

async function changesBetween(
  { read }: ReturnType<typeof trieStore>,
  before: Cid | undefined,
  after: Cid | undefined,
) {
  const found: KeyChange[] = [];
  for await (const change of diffTries(read, before, after)) found.push(change);
  return found;
}

test('finds exactly the keys with different values, in order', async () => {
  await fc.assert(
    fc.asyncProperty(somePuts, somePuts, async (first, second) => {
      const store = trieStore();
      const before = await putMany(store.read, undefined, first);
      store.add(before.added);
      const after = await putMany(store.read, undefined, second);
      store.add(after.added);
      const [old, now] = [new Map(first), new Map(second)];
      const expected = [...new Set([...old.keys(), ...now.keys()])]
        .sort()
        .map((key) => ({ key, before: old.get(key), after: now.get(key) }))
        .filter((change) => change.before !== change.after);
      expect(await changesBetween(store, before.root, after.root)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

test('finds the same differences whether the shards are cached or not', async () => {
  await fc.assert(
    fc.asyncProperty(somePuts, somePuts, async (first, second) => {
      const store = trieStore();
      const before = await putMany(store.read, undefined, first);
      store.add(before.added);
      const after = await putMany(store.read, before.root, second);
      store.add(after.added);
      const uncached = store.fresh();
      const { root } = after;
      expect(await changesBetween(store, before.root, root)).toEqual(
        await changesBetween(uncached, before.root, root),
      );
      expect(await changesBetween(store, undefined, root)).toEqual(
        await changesBetween(store.fresh(), undefined, root),
      );
    }),
  );
});

test('yields many keys at once', async () => {
  const store = trieStore();
  const keys = Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? `doc-${n + 10}` : `${n}`));
  const { root } = await putMany(
    store.read,
    undefined,
    keys.map((key) => [key, linkTo(1)]),
  );
  const runs: number[] = [];
  for await (const changes of diffTriesInRuns(store.read, undefined, root)) runs.push(changes.length);
  expect(runs).toEqual([40]);
});

test('treats an undefined root as an empty trie', async () => {
  const store = trieStore();
  const { root, added } = await putMany(store.read, undefined, [['a', linkTo(1)]]);
  store.add(added);
  expect(await changesBetween(store, undefined, root)).toEqual([
    { key: 'a', before: undefined, after: linkTo(1) },
  ]);
  expect(await changesBetween(store, root, undefined)).toEqual([
    { key: 'a', before: linkTo(1), after: undefined },
  ]);
});

test('does not read shared shards', async () => {
  const store = trieStore();
  const puts = Array.from(
    { length: 2000 },
    (_, n) => [`doc-${String(n).padStart(5, '0')}`, linkTo(n % 20)] as const,
  );
  const before = await putMany(store.read, undefined, puts);
  store.add(before.added);
  const after = await putMany(store.read, before.root, [['doc-00007', linkTo(99)]]);
  store.add(after.added);
  const fresh = store.fresh();
  expect(await changesBetween(fresh, before.root, after.root)).toHaveLength(1);
  expect(fresh.readCount()).toBeLessThan(30);
});

/**
 * Reads a trie of 80 x 80 x 50 keys that start with `a`. Each read creates the shard, whose CID is
 * its path.
 */
const manyKeys: ReadShard = async (cid) => {
  const prefix = cid as string;
  const width = [1, 80, 80, 50][prefix.length] ?? 0;
  const entries = Array.from({ length: width }, (_, at) => {
    const key = prefix === '' ? 'a' : String.fromCharCode(0x21 + at);
    const isKey = prefix.length === 3;
    return { key, value: isKey ? linkTo(1) : undefined, child: isKey ? undefined : ((prefix + key) as Cid) };
  });
  return { prefix, entries };
};

test('[R20] finds 320,000 differences below one character', long, async () => {
  let count = 0;
  for await (const _ of diffTries(manyKeys, undefined, '' as Cid)) count += 1;
  expect(count).toBe(320_000);
});
