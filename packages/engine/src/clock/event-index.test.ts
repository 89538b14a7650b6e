import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WITHOUT_REST } from '../base/pace.ts';
import type { Cid } from '../codec/cid.ts';
import { Ancestry } from './ancestry.ts';
import { chain, closure, type Dag, dag, eventCid, someDag } from './dag.fixture.ts';
import { EventIndex } from './event-index.ts';
import { maximalWrites } from './newest-first.ts';

test('lists the history of a head in pages, with parents after children', async () => {
  await fc.assert(
    fc.asyncProperty(someDag, async ({ graph, heads }) => {
      const index = new EventIndex(graph.read);
      const seen = new Set<Cid>();
      for (const head of heads) {
        await index.advance(head, WITHOUT_REST);
        for (const cid of closure(graph, head)) seen.add(cid);
        const listed: Cid[] = [];
        for (let page = index.newest(3); page.length > 0; page = index.newest(3, page.at(-1)))
          listed.push(...page);
        expect(new Set(listed)).toEqual(seen);
        expect(listed).toHaveLength(seen.size);
        for (const cid of listed)
          for (const parent of graph.events.get(cid)?.parents ?? [])
            expect(listed.indexOf(parent)).toBeGreaterThan(listed.indexOf(cid));
        for (const key of ['k1', 'k2', 'k3', 'k4']) {
          const writes = listed.filter((cid) =>
            graph.events.get(cid)?.operations.some((one) => one.key === key),
          );
          expect(index.writesOf(key)).toEqual(writes);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('[P2] finds the writes of a key that are not an ancestor of another write of that key', async () => {
  await fc.assert(
    fc.asyncProperty(someDag, async ({ graph, heads }) => {
      const head = heads[0] ?? [];
      // Only a walk can tell the order of events without a place in the ancestry.
      const indexes = [new EventIndex(graph.read), new EventIndex(graph.read, new Ancestry(2))];
      for (const index of indexes) for (const one of heads) await index.advance(one, WITHOUT_REST);
      const all = closure(graph, head);
      for (const key of ['k1', 'k2', 'k3', 'k4']) {
        const [known, walked] = await Promise.all(
          indexes.map((index) => maximalWrites(head, key, index, graph.read, WITHOUT_REST)),
        );
        const writes = indexes[0]?.writesOf(key).filter((cid) => all.has(cid)) ?? [];
        const expected = writes.filter(
          (cid) => !writes.some((other) => other !== cid && closure(graph, [other]).has(cid)),
        );
        expect(known).toEqual(expected);
        expect(walked).toEqual(expected);
      }
    }),
    { numRuns: 200 },
  );
});

test('finds concurrent writes that many events follow without reading any event', async () => {
  const branches = { start: [], one: ['start'], other: ['start'], both: ['one', 'other'] };
  const graph = dag({ ...branches, ...chain('later', 500, 'both') }, (name) => [
    name in branches ? 'k' : name,
  ]);
  const index = new EventIndex(graph.read);
  await index.advance(graph.head('later500'), WITHOUT_REST);
  const before = graph.readCount();
  // The index has events that this head lacks.
  for (const head of [['one', 'other'], ['one']]) {
    const found = await maximalWrites(graph.head(...head), 'k', index, graph.read, WITHOUT_REST);
    expect(graph.names(found)).toEqual(head);
  }
  expect(await maximalWrites(graph.head('later500'), 'x', index, graph.read, WITHOUT_REST)).toEqual([]);
  expect(graph.readCount()).toBe(before);
});

test('reads only new events when the head advances, and stops on abort', async () => {
  const graph = dag({ ...chain('a', 500), ...chain('b', 3, 'a500') });
  const index = new EventIndex(graph.read);
  await index.advance(graph.head('a500'), WITHOUT_REST);
  const before = graph.readCount();
  await index.advance(graph.head('b3'), WITHOUT_REST);
  expect(graph.readCount() - before).toBeLessThan(10);
  expect(index.isLinear).toBe(true);
  const aborted = new AbortController();
  aborted.abort();
  const other = new EventIndex(graph.read);
  await expect(other.advance(graph.head('b3'), WITHOUT_REST, aborted.signal)).rejects.toThrow();
  await other.advance(graph.head('b3'), WITHOUT_REST);
  expect(other.size).toBe(503);
});

test('yields while it walks back', async () => {
  const graph = dag(chain('a', 50));
  let rests = 0;
  const pace = { isDue: () => graph.readCount() > 10 * (rests + 1), rest: async () => void rests++ };
  await new EventIndex(graph.read).advance(graph.head('a50'), pace);
  expect(rests).toBeGreaterThan(3);
});

test('returns no events after an unknown event or the oldest event', async () => {
  const graph = dag(chain('a', 3));
  const index = new EventIndex(graph.read);
  await index.advance(graph.head('a3'), WITHOUT_REST);
  expect(index.newest(3, eventCid('nowhere'))).toEqual([]);
  expect(index.newest(3, eventCid('a1'))).toEqual([]);
});

test('starts over when events left the head', async () => {
  const graph = dag({ ...chain('a', 4), b1: ['a2'] });
  const index = new EventIndex(graph.read);
  await index.follow(graph.head('a3'), WITHOUT_REST);
  await index.follow(graph.head('a4'), WITHOUT_REST);
  expect([index.restarts, index.size]).toEqual([0, 4]);
  await index.follow(graph.head('a2'), WITHOUT_REST);
  expect([index.restarts, index.size, index.isLinear]).toEqual([1, 2, true]);
  await index.follow(graph.head('b1'), WITHOUT_REST);
  expect(graph.names(index.newest(9))).toEqual(['a1', 'a2', 'b1']);
  // A slow reader of an earlier head changes nothing.
  await index.advance(graph.head('a1'), WITHOUT_REST);
  expect([index.restarts, index.size]).toEqual([1, 3]);
  // With ancestors that only a walk can find.
  const walking = new EventIndex(graph.read, new Ancestry(0));
  for (const head of ['a2', 'a4', 'b1']) await walking.follow(graph.head(head), WITHOUT_REST);
  expect([walking.restarts, walking.size]).toEqual([1, 3]);
});

const isDamage = (cause: unknown) => cause instanceof Error && cause.message === 'damaged';

/** Returns an index of a graph in which some events can't be read. */
function damagedIndex(graph: Dag, ...names: string[]) {
  const damaged = new Set(names.map(eventCid));
  const reads: Cid[] = [];
  const read = async (cid: Cid) => {
    reads.push(cid);
    if (damaged.has(cid)) throw new Error('damaged');
    return graph.read(cid);
  };
  const index = new EventIndex(read, new Ancestry(), isDamage);
  const readsOf = async (head: string) => {
    reads.length = 0;
    await expect(index.follow(graph.head(head), WITHOUT_REST)).rejects.toThrow('damaged');
    return reads.length;
  };
  return { index, damaged, readsOf };
}

test('reads only new events and the damaged one again until the damaged one can be read', async () => {
  const graph = dag({
    ...chain('a', 100),
    ...chain('b', 3, 'a100'),
    ...chain('c', 100, 'a50'),
    d1: ['b3', 'c100'],
  });
  const { index, damaged, readsOf } = damagedIndex(graph, 'a10');
  // Each event is read again once its parents are known.
  expect(await readsOf('a100')).toBe(181);
  // The damaged event, and the one that names it as its parent.
  expect(await readsOf('a100')).toBe(2);
  expect(await readsOf('b3')).toBe(2 + 5);
  // The events of another branch, down to one that is known.
  expect(await readsOf('d1')).toBeLessThan(2 + 2 * 102);
  expect(await readsOf('d1')).toBe(2);
  damaged.clear();
  await index.follow(graph.head('d1'), WITHOUT_REST);
  expect(index.size).toBe(closure(graph, graph.head('d1')).size);
  expect([index.restarts, index.unread.size]).toEqual([1, 0]);
});

test('knows all events that can be reached without a damaged one', async () => {
  const graph = dag({
    ...chain('a', 10),
    ...chain('b', 3, 'a5'),
    ...chain('c', 3, 'a5'),
    d1: ['a10', 'b3', 'c3'],
  });
  const { index, damaged, readsOf } = damagedIndex(graph, 'a8', 'b2');
  await readsOf('d1');
  expect(graph.names(index.newest(99))).toEqual(
    graph.names([...closure(graph, graph.head('d1'))]).filter((name) => !['a6', 'a7', 'b1'].includes(name)),
  );
  expect([graph.names([...index.unread.keys()]), index.writesOf('a8')]).toEqual([['a8', 'b2'], []]);
  const cid = (name: string) => eventCid(name);
  expect(index.isAncestor(cid('a8'), cid('a9'))).toBe(true);
  expect(index.isAncestor(cid('b2'), cid('c3'))).toBe(false);
  // Each call tries another damaged event.
  damaged.delete(cid('b2'));
  await readsOf('d1');
  await readsOf('d1');
  expect([graph.names([...index.unread.keys()]), index.size]).toEqual([['a8'], 15]);
});

test('doesn’t call a history linear whose damaged event may have several parents', async () => {
  const graph = dag({ a1: [], b1: ['a1'], c1: ['a1'], d1: ['b1', 'c1'], e1: ['d1'] });
  const { index, damaged, readsOf } = damagedIndex(graph, 'd1');
  await readsOf('e1');
  expect(index.isLinear).toBe(false);
  damaged.clear();
  await index.follow(graph.head('e1'), WITHOUT_REST);
  expect([index.isLinear, index.size]).toEqual([false, 5]);
});

test('forgets a damaged event once compaction has dropped it', async () => {
  const graph = dag(chain('a', 10));
  const { index, readsOf } = damagedIndex(graph, 'a3');
  await readsOf('a10');
  // Readers return the oldest event that was kept without its parents.
  const above = graph.events.get(eventCid('a4'));
  graph.events.set(eventCid('a4'), { ...above, parents: [] } as never);
  await index.follow(graph.head('a10'), WITHOUT_REST);
  expect([index.size, index.unread.size]).toEqual([7, 0]);
});

test('rejects with errors that aren’t damage, and reads the rest with the next call', async () => {
  const graph = dag(chain('a', 10));
  let isFailing = true;
  const index = new EventIndex(
    async (cid) => {
      if (isFailing && cid === eventCid('a3')) throw new Error('store failed');
      return graph.read(cid);
    },
    new Ancestry(),
    isDamage,
  );
  await expect(index.follow(graph.head('a10'), WITHOUT_REST)).rejects.toThrow('store failed');
  expect(index.unread.size).toBe(0);
  isFailing = false;
  await index.follow(graph.head('a10'), WITHOUT_REST);
  expect(index.size).toBe(10);
});

test('forgets the head of an older snapshot that was dropped', async () => {
  const graph = dag({ ...chain('a', 5), ...chain('b', 5) });
  const { index, damaged } = damagedIndex(graph);
  await index.follow(graph.head('a5'), WITHOUT_REST);
  damaged.add(eventCid('a5'));
  await index.follow(graph.head('b5'), WITHOUT_REST);
  await expect(index.advance(graph.head('a5'), WITHOUT_REST)).rejects.toThrow('damaged');
  await index.follow(graph.head('b5'), WITHOUT_REST);
  expect([index.unread.size, index.size]).toEqual([0, 5]);
});

test('forgets an unread ancestor of an older snapshot', async () => {
  const graph = dag({ ...chain('a', 5), ...chain('b', 5) });
  const { index } = damagedIndex(graph, 'a3');
  await index.follow(graph.head('b5'), WITHOUT_REST);
  await expect(index.advance(graph.head('a5'), WITHOUT_REST)).rejects.toThrow('damaged');
  await index.follow(graph.head('b5'), WITHOUT_REST);
  expect([index.unread.size, index.size]).toEqual([0, 5]);
});

test('forgets an unread head that compaction dropped below its child', async () => {
  const graph = dag(chain('a', 5));
  const { index, readsOf } = damagedIndex(graph, 'a4');
  await readsOf('a4');
  await readsOf('a5');
  graph.events.set(eventCid('a5'), { ...graph.events.get(eventCid('a5')), parents: [] } as never);
  await index.follow(graph.head('a5'), WITHOUT_REST);
  expect([index.unread.size, index.size]).toEqual([0, 1]);
});

test('forgets an event that another tab’s compaction dropped during the walk, although its child is cached', async () => {
  const graph = dag(chain('a', 10));
  const cache = new Map<string, Awaited<ReturnType<typeof graph.read>>>();
  const gone = new Set<string>();
  let horizon: string | undefined;
  // Like the readers of a database.
  const index = new EventIndex(
    async (cid) => {
      if (cid === horizon) return { ...(await graph.read(cid)), parents: [] };
      const known = cache.get(cid);
      if (known !== undefined) return known;
      if (gone.has(cid)) throw new Error('damaged');
      const event = await graph.read(cid);
      cache.set(cid, event);
      // The other tab compacts while this one has read the events down to a4.
      if (cid === eventCid('a4')) for (const n of [1, 2, 3, 4, 5]) gone.add(eventCid(`a${n}`));
      return event;
    },
    new Ancestry(),
    isDamage,
    () => horizon as never,
  );
  await expect(index.follow(graph.head('a10'), WITHOUT_REST)).rejects.toThrow('damaged');
  horizon = eventCid('a6');
  await index.follow(graph.head('a10'), WITHOUT_REST);
  expect([index.size, index.unread.size]).toEqual([5, 0]);
});
