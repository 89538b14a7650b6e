import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { utf8 } from '../base/bytes.ts';
import { mergeHeads } from '../clock/advance.ts';
import { type ClockEvent, encodeEvent, type Head, sortHead } from '../clock/event.ts';
import { rootOfHead } from '../clock/root-of-head.ts';
import { type Cid, cidOf, RAW } from '../codec/cid.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { applyOperations } from '../trie/apply.ts';
import { EMPTY_SHARD, type ReadShard } from '../trie/shard.ts';
import { trieStore } from '../trie/trie.fixture.ts';
import { isWholeWith } from '../trie/whole-trie.ts';
import { rebuiltSnapshot } from './rebuild.ts';
import type { Readers } from './snapshot.ts';
import { snapshotOf } from './snapshot-of.ts';

const link = (text: string): Cid => cidOf(RAW, utf8(text));
const KEYS = ['a', 'ab', 'abc', 'b', 'ba', 'c'];

/**
 * Creates events with complete tries. `having` returns readers that find only some of these tries,
 * as after a compaction.
 */
function histories() {
  const tries = trieStore();
  tries.add([EMPTY_SHARD]);
  const events = new Map<Cid, ClockEvent>();
  const event = async (cid: Cid) =>
    events.get(cid) ?? Promise.reject(new FixpointError('MISSING_BLOCK', cid));
  const whole = { event, shard: tries.read };
  const add = (one: ClockEvent): Head => {
    const { cid } = encodeEvent(one);
    events.set(cid, one);
    return sortHead([cid]);
  };
  const write = async (head: Head, operations: ClockEvent['operations']): Promise<Head> => {
    const base = await rootOfHead(head, whole);
    tries.add(base.added);
    const { root, added } = await applyOperations(tries.read, base.root, operations);
    tries.add(added);
    return add({ operations, root, parents: head });
  };
  const shardsOf = async (root: Cid, found: Set<Cid>) => {
    const waiting = [root];
    for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
      found.add(cid);
      for (const { child } of (await tries.read(cid)).entries) if (child !== undefined) waiting.push(child);
    }
  };
  /** Creates readers that find only the tries of these events. */
  const having = async (kept: Iterable<Cid>): Promise<Readers> => {
    const there = new Set([EMPTY_SHARD.cid]);
    for (const cid of kept) await shardsOf((await event(cid)).root, there);
    const shard: ReadShard = async (cid) => {
      if (!there.has(cid)) throw new FixpointError('MISSING_BLOCK', cid);
      return tries.read(cid);
    };
    return { event, shard } as unknown as Readers;
  };
  return { events, event, whole, add, write, having, shardsOf, keep: tries.add };
}

/**
 * Expects that `readers` give the same snapshot as complete tries, and that each of its shards is
 * either stored or rebuilt.
 */
async function expectWhole(
  { whole, shardsOf, keep }: ReturnType<typeof histories>,
  head: Head,
  readers: Readers,
): Promise<void> {
  const snapshot = await snapshotOf(head, readers, rebuiltSnapshot, (root, made) =>
    isWholeWith(made, readers.shard, root, undefined),
  );
  const { root, added } = await rootOfHead(head, whole);
  keep(added);
  expect(snapshot).toMatchObject({ head, root });
  const needed = new Set<Cid>();
  await shardsOf(root as Cid, needed);
  const made = new Set(snapshot.merged.map(({ cid }) => cid));
  for (const cid of needed) if (!made.has(cid)) await readers.shard(cid);
  expect([...made].filter((cid) => !needed.has(cid))).toEqual([]);
}

describe('a head whose old tries were dropped', () => {
  test(
    '[R8] [P1] gives the same snapshot as with all tries, however branches cross and whichever tries remain',
    long,
    async () => {
      for (let seed = 1; seed <= 60; seed++) {
        const random = seededRandom(seed);
        const world = histories();
        const first = await world.write([], [{ key: 'first', value: link('first') }]);
        const heads = [first, first, first];
        for (let step = 0; step < 25; step++) {
          const [at, from] = [random.below(3), random.below(3)];
          if (random.below(4) === 0)
            heads[at] = await mergeHeads(heads[at] as Head, heads[from] as Head, world.event);
          else {
            const key = KEYS[random.below(KEYS.length)] as string;
            const other = KEYS[random.below(KEYS.length)] as string;
            const value = random.below(6) === 0 ? undefined : link(`${seed} ${step}`);
            heads[at] = await world.write(heads[at] as Head, [
              { key, value },
              { key: other, value: link(`${seed} ${step} other`) },
            ]);
          }
        }
        const all = [...world.events.keys()];
        const kept = all.filter(() => random.below(6) === 0);
        const readers = await world.having(kept);
        const [a, b, c] = heads as [Head, Head, Head];
        for (const head of [a, await mergeHeads(a, b, world.event), await mergeHeads(b, c, world.event)])
          await expectWhole(world, head, readers);
      }
    },
  );

  test('[R8] rebuilds from the first event after finding eight incomplete tries', async () => {
    const world = histories();
    let head: Head = await world.write([], [{ key: 'first', value: link('first') }]);
    const [oldest] = head;
    for (let n = 0; n < 30; n++) head = await world.write(head, [{ key: `k${n % 7}`, value: link(`${n}`) }]);
    const { event, shard } = await world.having([oldest as Cid]);
    const missed = new Set<Cid>();
    const counted: ReadShard = (cid) =>
      shard(cid).catch((cause) => {
        missed.add(cid);
        throw cause;
      });
    await expectWhole(world, head, { event, shard: counted } as unknown as Readers);
    expect(missed.size).toBe(8);
  });

  test('[P1] is rebuilt from branches without a common ancestor, whether they are the head or the parents of an event', async () => {
    const world = histories();
    const apart: Head[] = [];
    for (const name of ['x', 'y']) {
      const first = await world.write([], [{ key: name, value: link(name) }]);
      apart.push(await world.write(first, [{ key: 'both', value: link(`both ${name}`) }]));
    }
    const met = sortHead(apart.flat());
    const nothing = await world.having([]);
    await expectWhole(world, met, nothing);
    await expectWhole(world, await world.write(met, [{ key: 'later', value: link('later') }]), nothing);
  });

  test('[R4] [R5] reports a recorded root as missing if the history does not produce that root', async () => {
    const world = histories();
    const first = await world.write([], [{ key: 'a', value: link('a') }]);
    const other = await world.write([], [{ key: 'ghost', value: link('ghost') }]);
    const { root } = await world.event(other[0] as Cid);
    const wrong = world.add({ operations: [{ key: 'b', value: link('b') }], root, parents: first });
    const readers = await world.having(first);
    await expect(rebuiltSnapshot(wrong, readers)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  });
});
