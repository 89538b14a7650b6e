import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import type { ClockEvent } from '../../clock/event.ts';
import { type Cid, cidOf, RAW } from '../../codec/cid.ts';
import type { Archives } from '../../store/archives.ts';
import type { Shard } from '../../trie/shard.ts';
import type { Readers } from '../snapshot.ts';
import { isStillWhole } from './still-whole.ts';

const cid = (name: string): Cid => cidOf(RAW, utf8(name));
const [kept, removed] = [cid('kept archive'), cid('removed archive')];
const entry = (key: string, value?: string, child?: string) => ({
  key,
  value: value === undefined ? undefined : cid(value),
  child: child === undefined ? undefined : cid(child),
});
const shards = new Map<Cid, Shard>([
  [cid('root'), { prefix: '', entries: [entry('a', 'doc a'), entry('b', undefined, 'below')] }],
  [cid('below'), { prefix: 'b', entries: [entry('c', 'doc c')] }],
]);
const events = new Map<Cid, ClockEvent>([
  [
    cid('new'),
    { root: cid('root'), parents: [cid('old')], operations: [{ key: 'a', value: cid('doc of event') }] },
  ],
  [cid('old'), { root: cid('root'), parents: [], operations: [{ key: 'gone', value: undefined }] }],
]);
const blocks = ['root', 'below', 'doc a', 'doc c', 'new', 'old', 'doc of event'];

/**
 * Returns whether the snapshot is whole after the blocks in `gone` are removed. Blocks in `live`
 * were found live before.
 */
function whole({ gone, live = [] }: { gone: readonly string[]; live?: readonly string[] }) {
  const goes = new Set(gone.map(cid));
  return isStillWhole({
    archives: {
      placeOf: (one: Cid) => ({ archive: goes.has(one) ? removed : kept, length: 1 }),
    } as unknown as Archives,
    readers: {
      shard: async (one: Cid) => shards.get(one),
      event: async (one: Cid) => events.get(one),
    } as unknown as Readers,
    live: new Set(live.map(cid)),
    removed: new Set([removed]),
    snapshots: [
      { head: [], root: undefined, merged: [] },
      { head: [cid('new')], root: cid('root'), merged: [] },
    ],
  });
}

describe('a snapshot that is newer than the live set', () => {
  test('is whole if none of its blocks are removed, or if all of them were found live', async () => {
    expect(await whole({ gone: [] })).toBe(true);
    expect(await whole({ gone: ['something else'] })).toBe(true);
    expect(await whole({ gone: blocks, live: blocks })).toBe(true);
  });

  test.each(blocks)('[R8] needs %s', async (name) => {
    expect(await whole({ gone: [name] })).toBe(false);
    expect(await whole({ gone: [name], live: [name] })).toBe(true);
  });

  test('lets other work run after each hundred new blocks and links', async () => {
    let pauses = 0;
    const names = Array.from({ length: 450 }, (_, n) => cid(`shard ${n}`));
    const chain = new Map(
      names.map((name, n) => [
        name,
        { prefix: '', entries: n < 449 ? [entry('k', undefined, `shard ${n + 1}`)] : [] },
      ]),
    );
    const operations = Array.from({ length: 250 }, (_, n) => ({ key: `${n}`, value: cid(`doc ${n}`) }));
    const events = ['event 0', 'event 1', 'event 2'].map(cid);
    const event = async (one: Cid) => ({
      operations,
      root: cid('root'),
      parents: events.slice(1 + events.indexOf(one)),
    });
    const isWhole = await isStillWhole({
      archives: { placeOf: () => undefined } as unknown as Archives,
      readers: { shard: async (one: Cid) => chain.get(one), event } as unknown as Readers,
      live: new Set(),
      removed: new Set([removed]),
      snapshots: [{ head: events.slice(0, 1), root: names[0], merged: [] }],
      pause: async () => void pauses++,
    });
    // 450 shards with 449 links, then three events with 250 links each.
    expect([isWhole, pauses]).toEqual([true, 8 + 3]);
  });
});
