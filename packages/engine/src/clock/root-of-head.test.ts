import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import type { Cid } from '../codec/cid.ts';
import { putMany } from '../trie/put-many.ts';
import { trieStore } from '../trie/trie.fixture.ts';
import { mergeHeads } from './advance.ts';
import { closure, type Dag, linkOf } from './dag.fixture.ts';
import { type ClockEvent, encodeEvent, type Head, sortHead } from './event.ts';
import { rootOfHead } from './root-of-head.ts';

const REPLICAS = 3;
const someStep = fc.record({
  replica: fc.nat(REPLICAS - 1),
  from: fc.nat(REPLICAS - 1),
  keys: fc.array(fc.constantFrom('a', 'ab', 'abc', 'b'), { maxLength: 2 }),
});

/** Creates replicas that write and merge. Steps without keys merge; all others write. */
async function replicas(steps: readonly { replica: number; from: number; keys: readonly string[] }[]) {
  const trie = trieStore();
  const events = new Map<Cid, ClockEvent>();
  const read = { shard: trie.read, event: async (cid: Cid) => events.get(cid) as ClockEvent };
  const heads: Head[] = Array.from({ length: REPLICAS }, () => []);
  const write = async (head: Head, puts: readonly (readonly [string, Cid])[]): Promise<Head> => {
    const before = await rootOfHead(head, read);
    trie.add(before.added);
    const after = await putMany(trie.read, before.root, puts);
    trie.add(after.added);
    const event = {
      operations: puts.map(([key, value]) => ({ key, value })),
      root: after.root,
      parents: head,
    };
    const { cid } = encodeEvent(event);
    events.set(cid, event);
    return sortHead([cid]);
  };
  const first = await write([], [['first', linkOf('first')]]);
  heads.fill(first);
  for (const [at, { replica, from, keys }] of steps.entries()) {
    const mine = heads[replica] ?? [];
    heads[replica] =
      keys.length === 0
        ? await mergeHeads(mine, heads[from] ?? [], read.event)
        : await write(
            mine,
            keys.map((key, n) => [key, linkOf(`${at}.${n}`)]),
          );
  }
  return { trie, events, read, heads };
}

/**
 * Returns the values of the writes of a key that aren't an ancestor of another write of that key.
 */
function maximalWrites(events: ReadonlyMap<Cid, ClockEvent>, head: Head, key: string): (Cid | undefined)[] {
  const graph = { events } as Dag;
  const writers = [...closure(graph, head)].filter((cid) =>
    events.get(cid)?.operations.some((one) => one.key === key),
  );
  const last = writers.filter(
    (cid) => !writers.some((other) => other !== cid && closure(graph, [other]).has(cid)),
  );
  return last.map((cid) => events.get(cid)?.operations.findLast((one) => one.key === key)?.value);
}

describe('rootOfHead', () => {
  test('[P1] gives replicas the same head and root, whatever the order in which they receive the heads', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { maxLength: 25 }), fc.nat(5), async (steps, order) => {
        const { heads, read } = await replicas(steps);
        const orders = [
          [0, 1, 2],
          [0, 2, 1],
          [1, 0, 2],
          [1, 2, 0],
          [2, 0, 1],
          [2, 1, 0],
        ];
        const results = [];
        for (const turn of [orders[0], orders[order]]) {
          let head: Head = [];
          for (const replica of turn ?? []) head = await mergeHeads(head, heads[replica] ?? [], read.event);
          results.push({ head, root: (await rootOfHead(head, read)).root });
        }
        expect(results[1]).toEqual(results[0]);
      }),
      { numRuns: 300 },
    );
  });

  test('[P2] [P3] [P4] gives each key the value of one of its maximal writes, and adds no other key', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(someStep, { maxLength: 25 }), async (steps) => {
        const { heads, events, read, trie } = await replicas(steps);
        let head: Head = [];
        for (const one of heads) head = await mergeHeads(head, one, read.event);
        const merged = await rootOfHead(head, read);
        trie.add(merged.added);
        const listed = await trie.list(merged.root as Cid);
        for (const [key, value] of listed) expect(maximalWrites(events, head, key)).toContain(value);
        const written = new Set(
          [...events.values()].flatMap(({ operations }) => operations.map(({ key }) => key)),
        );
        expect(listed.map(([key]) => key)).toEqual([...written].sort());
      }),
      { numRuns: 300 },
    );
  });

  test('returns the recorded root for a head of one event, and no new shards', async () => {
    const { heads, events, read } = await replicas([{ replica: 0, from: 0, keys: ['a'] }]);
    const [head = []] = heads;
    expect(await rootOfHead(head, read)).toEqual({ root: events.get(head[0] as Cid)?.root, added: [] });
    expect(await rootOfHead([], read)).toEqual({ root: undefined, added: [] });
  });

  test('replays removals of keys', async () => {
    const { trie, events, read, heads } = await replicas([{ replica: 0, from: 0, keys: ['a', 'b'] }]);
    const [before = []] = heads;
    const removal = {
      operations: [{ key: 'a', value: undefined }],
      root: linkOf('not looked at'),
      parents: before,
    };
    const other = {
      operations: [{ key: 'c', value: linkOf('c') }],
      root: linkOf('not looked at'),
      parents: before,
    };
    for (const event of [removal, other]) events.set(encodeEvent(event).cid, event);
    const head = sortHead([removal, other].map((event) => encodeEvent(event).cid));
    const merged = await rootOfHead(head, read);
    trie.add(merged.added);
    expect((await trie.list(merged.root as Cid)).map(([key]) => key)).toEqual(['b', 'c', 'first']);
  });

  test('merges independent events without a common first event', async () => {
    const { trie, events, read } = await replicas([]);
    const alone = ['x', 'y'].map((key) => ({
      operations: [{ key, value: linkOf(key) }],
      root: linkOf(key),
      parents: [],
    }));
    for (const event of alone) events.set(encodeEvent(event).cid, event);
    const head = sortHead(alone.map((event) => encodeEvent(event).cid));
    const merged = await rootOfHead(head, read);
    trie.add(merged.added);
    expect((await trie.list(merged.root as Cid)).map(([key]) => key)).toEqual(['x', 'y']);
  });

  test('merges 300 rounds of concurrent writes of two replicas without delay', long, async () => {
    const steps = Array.from({ length: 300 }, (_, round) => [
      { replica: 0, from: 0, keys: ['a'] },
      { replica: 1, from: 1, keys: ['b'] },
      { replica: 0, from: 1, keys: [] },
      { replica: 1, from: 0, keys: [] },
      { replica: round % 2, from: 0, keys: round % 3 === 0 ? ['ab'] : [] },
    ]).flat();
    const { heads, read } = await replicas(steps.slice(0, 1500));
    const [a = [], b = []] = heads;
    const both = await mergeHeads(a, b, read.event);
    expect((await rootOfHead(both, read)).root).toBe(
      (await rootOfHead(await mergeHeads(b, a, read.event), read)).root,
    );
  });
});
