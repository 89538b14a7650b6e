import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { Lru } from '../base/lru.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { entries, type KeyRange } from './entries.ts';
import { putMany } from './put-many.ts';
import { type Shard, shardReader } from './shard.ts';
import { trieStore } from './trie.fixture.ts';

const COUNT = 5000;

/** Returns keys in no order, with a link for each. */
const PUTS = Array.from({ length: COUNT }, (_, at): [string, Cid] => {
  const bytes = Uint8Array.of(at >> 8, at & 255);
  return [cidOf(RAW, bytes).slice(-8), cidOf(RAW, bytes)];
});

/** Builds a trie of these keys. `open` reads it with an empty cache and counts the reads. */
async function builtTrie() {
  const store = trieStore();
  const { root, added } = await putMany(store.read, undefined, PUTS);
  const blocks = new Map(added.map(({ cid, bytes }) => [cid, bytes]));
  const open = () => {
    const counts = { calls: 0, shards: 0 };
    const blockOf = (cid: Cid) => {
      const bytes = blocks.get(cid);
      if (bytes === undefined) throw new FixpointError('MISSING_BLOCK', cid);
      counts.shards++;
      return bytes;
    };
    const one = async (cid: Cid) => {
      counts.calls++;
      return blockOf(cid);
    };
    const many = async (cids: readonly Cid[]) => {
      if (cids.length > 0) counts.calls++;
      return cids.map(blockOf);
    };
    return { read: shardReader(one, new Lru<Cid, Shard>(100_000), many), counts };
  };
  return { root: root as Cid, blocks, open };
}

async function listed(
  { read }: { read: Parameters<typeof entries>[0] },
  root: Cid,
  range: KeyRange,
  limit = Number.POSITIVE_INFINITY,
) {
  const keys: string[] = [];
  for await (const [key] of entries(read, root, range)) {
    keys.push(key);
    if (keys.length === limit) break;
  }
  return keys;
}

const KEYS = PUTS.map(([key]) => key).sort();

describe('a walk through a whole trie', () => {
  test.each([false, true])('reads many shards together (descending: %s)', async (descending) => {
    const { root, blocks, open } = await builtTrie();
    const opened = open();
    expect(await listed(opened, root, { descending })).toEqual(descending ? KEYS.toReversed() : KEYS);
    expect(opened.counts.shards).toBe(blocks.size);
    expect(opened.counts.calls).toBeLessThan(blocks.size / 10);
  });

  test('reads no more than 500 shards at once, because each may keep a whole archive in memory', async () => {
    const { blocks } = await builtTrie();
    const calls: number[] = [];
    const one = async (cid: Cid) => blocks.get(cid) as Uint8Array;
    const many = async (cids: readonly Cid[]) => {
      calls.push(cids.length);
      return Promise.all(cids.map(one));
    };
    const read = shardReader(one, new Lru<Cid, Shard>(100_000), many);
    await read.ahead?.([...blocks.keys()]);
    expect(calls.reduce((sum, count) => sum + count)).toBe(blocks.size);
    expect(Math.max(...calls)).toBe(500);
  });

  test('reads few shards in vain when it ends early', async () => {
    const { root, open } = await builtTrie();
    const opened = open();
    expect(await listed(opened, root, {}, 20)).toEqual(KEYS.slice(0, 20));
    expect(opened.counts.shards).toBeLessThan(100);
  });

  test('reads no shard outside of its range', async () => {
    const { root, blocks, open } = await builtTrie();
    const whole = open();
    await listed(whole, root, {});
    const opened = open();
    const prefix = (KEYS[0] as string).slice(0, 1);
    expect(await listed(opened, root, { prefix })).toEqual(KEYS.filter((key) => key.startsWith(prefix)));
    expect(opened.counts.shards).toBeLessThan(blocks.size / 2);
  });

  test('fails only when it reaches a shard that is missing', async () => {
    const { root, blocks, open } = await builtTrie();
    const { read } = open();
    const { entries: below } = await read(root);
    const last = below.at(-1)?.child as Cid;
    blocks.delete(last);
    expect(await listed(open(), root, {}, 20)).toEqual(KEYS.slice(0, 20));
    await expect(listed(open(), root, {})).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  });
});
