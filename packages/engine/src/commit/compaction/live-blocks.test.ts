import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import type { ClockEvent } from '../../clock/event.ts';
import { genesisOf } from '../../clock/genesis.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../documents/genesis.ts';
import type { Shard } from '../../trie/shard.ts';
import type { Readers } from '../snapshot.ts';
import { type LiveBasis, liveBlocks } from './live-blocks.ts';

const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);

/** Creates a history from named events and shards. All other blocks are missing. */
function history() {
  const events = new Map<Cid, ClockEvent>();
  const shards = new Map<Cid, Shard>();
  let pauses = 0;
  const found = <T>(map: ReadonlyMap<Cid, T>) => {
    return async (one: Cid) => map.get(one) ?? Promise.reject(new FixpointError('MISSING_BLOCK', one));
  };
  const readers = { event: found(events), shard: found(shards) } as unknown as Readers;
  const basis = (heads: readonly string[], given: Partial<LiveBasis> = {}): LiveBasis => ({
    snapshot: { head: heads.map(cid), root: cid('root'), merged: [] },
    former: [],
    held: [],
    readers,
    genesis,
    retention: { commits: 1000, bytes: 1_000_000 },
    mayDropEvents: false,
    sizeOf: () => 1,
    pause: async () => void pauses++,
    ...given,
  });
  return {
    readers,
    shards,
    basis,
    pauses: () => pauses,
    event: (name: string, root: string, parents: string[], value?: string) =>
      events.set(cid(name), {
        root: cid(root),
        parents: parents.map(cid),
        operations: [{ key: 'key', value: value === undefined ? undefined : cid(value) }],
      }),
    shard: (name: string, value: string, child?: string) =>
      shards.set(cid(name), {
        prefix: '',
        entries: [{ key: 'k', value: cid(value), child: child === undefined ? undefined : cid(child) }],
      }),
  };
}
const has = (live: Pick<ReadonlySet<Cid>, 'has'>, ...names: string[]) =>
  names.map((name) => live.has(cid(name)));

describe('live blocks', () => {
  test('[R8] keeps current documents, all events, all writes that no later write superseded, and complete past tries', async () => {
    const { basis, event, shard } = history();
    shard('root', 'doc new');
    shard('past root', 'doc old');
    event('new', 'root', ['old'], 'doc new');
    event('old', 'past root', ['older'], 'doc old');
    event('older', 'dropped root', [], 'doc older');
    const { cids, horizon } = await liveBlocks(basis(['new']));
    expect(has(cids, 'new', 'old', 'older', 'root', 'past root', 'doc new', 'doc old')).toEqual(
      Array.from({ length: 7 }, () => true),
    );
    expect(has(cids, 'dropped root', 'doc older')).toEqual([false, false]);
    expect(horizon).toBeUndefined();
  });

  test('[R8] rejects when a past trie is damaged, so that nothing is dropped', async () => {
    const { basis, event, shard, readers } = history();
    shard('root', 'doc');
    event('new', 'root', ['old'], 'doc');
    event('old', 'damaged root', [], 'doc');
    const read = async (one: Cid) => {
      if (one === cid('damaged root')) throw new FixpointError('CORRUPT');
      return readers.shard(one);
    };
    const damaged = { ...readers, shard: read } as Readers;
    await expect(liveBlocks(basis(['new'], { readers: damaged }))).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('keeps the trie of the common ancestor when the head has several events', async () => {
    const { basis, event, shard } = history();
    shard('root', 'doc');
    shard('met root', 'doc met');
    event('a', 'root', ['met'], 'doc');
    event('b', 'root', ['met'], 'doc');
    event('met', 'met root', [], 'doc met');
    event('x', 'root', [], 'doc');
    const few = { retention: { commits: 0, bytes: 0 } };
    expect(has((await liveBlocks(basis(['a', 'b'], few))).cids, 'met root', 'doc met')).toEqual([true, true]);
    expect(has((await liveBlocks(basis(['a', 'x'], few))).cids, 'met root')).toEqual([false]);
  });

  test('[R8] keeps an event that may later become part of the history, with its trie and its documents', async () => {
    const { basis, event, shard } = history();
    shard('root', 'doc');
    shard('later root', 'doc later');
    event('a', 'root', [], 'doc');
    event('removes', 'later root', ['a']);
    event('writes', 'nowhere', ['a'], 'doc written');
    const { cids, keepEvent } = await liveBlocks(basis(['a']));
    expect(has(cids, 'removes', 'later root', 'doc later', 'writes', 'doc written')).not.toContain(true);
    await keepEvent(cid('removes'));
    await keepEvent(cid('writes'));
    expect(has(cids, 'removes', 'later root', 'doc later', 'writes', 'doc written')).not.toContain(false);
  });

  test('lets other work run after each hundred shards and documents of a large trie', async () => {
    const { basis, event, shards, pauses } = history();
    const entry = (name: string) => ({ key: name, value: cid(name), child: undefined });
    const below = (n: number) => ({ key: `shard ${n}`, value: undefined, child: cid(`shard ${n}`) });
    shards.set(cid('root'), { prefix: '', entries: Array.from({ length: 200 }, (_, n) => below(n)) });
    const docs = (n: number) => Array.from({ length: 4 }, (_, at) => entry(`doc ${4 * n + at}`));
    for (let n = 0; n < 200; n++) shards.set(cid(`shard ${n}`), { prefix: '', entries: docs(n) });
    event('a', 'root', [], 'doc 0');
    const { cids } = await liveBlocks(basis(['a']));
    expect(has(cids, 'doc 799', 'shard 197')).toEqual([true, true]);
    // One pause after the root, then one after each 20 shards with four documents each.
    expect(pauses()).toBe(11);
  });

  test('counts the size of the current version once, of which a quarter may be the past', async () => {
    const { basis, event, shard } = history();
    shard('root', 'doc new');
    for (const [name, parents] of [
      ['new', ['old']],
      ['old', ['oldest']],
      ['oldest', []],
    ] as const)
      event(name, name === 'new' ? 'root' : `${name} root`, [...parents], 'doc new');
    shard('old root', 'doc old');
    shard('oldest root', 'doc oldest');
    // The current version has two blocks, and each event and each past trie use what is left.
    const sized = { sizeOf: () => 100, retention: { commits: 1000, bytes: 149 } };
    const { cids } = await liveBlocks(basis(['new'], sized));
    expect(has(cids, 'doc old', 'doc oldest')).toEqual([true, false]);
  });
});
