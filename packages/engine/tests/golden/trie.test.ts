import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../../src/codec/cid.ts';
import { parseDocKey } from '../../src/documents/doc-key.ts';
import { applyOperations } from '../../src/trie/apply.ts';
import { entries } from '../../src/trie/entries.ts';
import { putMany, type TrieUpdate } from '../../src/trie/put-many.ts';
import { removeKey } from '../../src/trie/remove.ts';
import { decodeShard, EMPTY_SHARD, encodeShard } from '../../src/trie/shard.ts';
import { blockstore, fromHex, toHex, vectors } from './vectors.fixture.ts';

interface Operation {
  key: string;
  value?: Cid;
  del?: true;
  root?: Cid;
  additions?: Cid[];
}
interface Case {
  name: string;
  batch?: boolean;
  emptyRoot: Cid;
  ops: Operation[];
  root: Cid;
  additions?: Cid[];
  entries?: [string, Cid][];
  entriesSha256?: string;
  shards?: Record<Cid, string>;
}

const cases = vectors<{ cases: Case[] }>('pail.json').cases.map((one) => [one.name, one] as const);
const withoutRemovals = cases.filter(([, { ops }]) => ops.every(({ del }) => !del));
const putsOf = ({ ops }: Case) =>
  ops.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as const]));
const cidsOf = ({ added }: TrieUpdate) => added.map(({ cid }) => cid).sort();

describe('golden trie', () => {
  test.each(cases)(
    '%s: computes every intermediate root, every new shard, and all keys at the end',
    async (_, given) => {
      const store = blockstore();
      store.add([EMPTY_SHARD]);
      expect(EMPTY_SHARD.cid).toBe(given.emptyRoot);
      let root: Cid = EMPTY_SHARD.cid;
      const wrong: unknown[] = [];
      for (const { key, value, root: expected, additions } of given.ops) {
        const step =
          value === undefined
            ? await removeKey(store.shard, root, key)
            : await putMany(store.shard, root, [[key, value]]);
        store.add(step.added);
        if (expected !== undefined && step.root !== expected) wrong.push({ key, root, expected });
        if (additions !== undefined && cidsOf(step).join() !== [...additions].sort().join())
          wrong.push({ key, additions });
        root = step.root;
      }
      expect(wrong).toEqual([]);
      expect(root).toBe(given.root);
      const listed: unknown[] = [];
      for await (const entry of entries(store.shard, root)) listed.push(entry);
      if (given.entries !== undefined) expect(listed).toEqual(given.entries);
      if (given.entriesSha256 !== undefined)
        expect(createHash('sha256').update(JSON.stringify(listed)).digest('hex')).toBe(given.entriesSha256);
      for (const [cid, hex] of Object.entries(given.shards ?? {}))
        expect(toHex(await store.read(cid as Cid))).toBe(hex);
    },
  );

  test.each(withoutRemovals)('[R7] %s: gives the same root for all puts in one step', async (_, given) => {
    const { root } = await putMany(blockstore().shard, undefined, putsOf(given));
    expect(root).toBe(given.root);
  });

  test.each(cases.filter(([, { batch }]) => batch === true))(
    '%s: adds the same shards in a batch',
    async (_, given) => {
      const store = blockstore();
      store.add([EMPTY_SHARD]);
      const update = await putMany(store.shard, EMPTY_SHARD.cid, putsOf(given));
      expect(cidsOf(update)).toEqual([...(given.additions ?? [])].sort());
    },
  );

  test.each(cases)(
    '%s: gives the same root for all operations at once, including removals',
    async (_, given) => {
      const store = blockstore();
      store.add([EMPTY_SHARD]);
      const operations = given.ops.map(({ key, value }) => ({ key, value }));
      expect((await applyOperations(store.shard, EMPTY_SHARD.cid, operations)).root).toBe(given.root);
    },
  );

  test('rejects a key as a document id if the trie rejects the key', () => {
    const { errors } = vectors<{ errors: { key: string; error: string }[] }>('pail.json');
    for (const { key } of errors)
      expect(() => parseDocKey(key)).toThrow(expect.objectContaining({ code: 'KEY_INVALID' }));
    expect(errors).toHaveLength(4);
  });

  test('encodes a shard to the bytes that it was read from', () => {
    const shards = cases.flatMap(([, { shards = {} }]) => Object.entries(shards));
    for (const [cid, hex] of shards) {
      const again = encodeShard(decodeShard(fromHex(hex)));
      expect([again.cid, toHex(again.bytes)]).toEqual([cid, hex]);
    }
    expect(shards.length).toBeGreaterThan(100);
  });
});
