import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../codec/cid.ts';
import { chain, type Dag, dag, eventCid, someDag } from './dag.fixture.ts';
import { draw } from './draw.ts';
import type { Head } from './event.ts';
import { orderByWeight } from './winning-order.ts';

/** Computes the weights from their definition: follows every path from every event of the head. */
function weightsByPaths({ events }: Dag, head: Head): Map<Cid, bigint> {
  const weights = new Map<Cid, bigint>();
  const follow = (cid: Cid, length: bigint) => {
    weights.set(cid, (weights.get(cid) ?? 0n) + length);
    for (const parent of events.get(cid)?.parents ?? []) follow(parent, length + 1n);
  };
  for (const cid of head) follow(cid, 0n);
  return weights;
}

const parentsOf = ({ events }: Dag, only: ReadonlyMap<Cid, bigint>) =>
  new Map([...only.keys()].map((cid) => [cid, events.get(cid)?.parents ?? []]));

describe('orderByWeight', () => {
  test('[P1] sorts by the total length of all paths, and equal lengths by CID text', async () => {
    await fc.assert(
      fc.property(someDag, ({ graph, heads: [head = []] }) => {
        const weights = weightsByPaths(graph, head);
        const expected = [...weights].sort(([a, ofA], [b, ofB]) =>
          ofA === ofB ? (a < b ? -1 : 1) : ofA > ofB ? -1 : 1,
        );
        expect(orderByWeight(head, parentsOf(graph, weights))).toEqual(expected.map(([cid]) => cid));
      }),
      { numRuns: 500 },
    );
  });

  test('counts each of several paths to an event', () => {
    const graph = dag({
      base: [],
      ...{ near: ['base'], a: ['near'], b: ['near'], c: ['near'], d: ['near'] },
      ...chain('long', 10),
      top: ['a', 'b', 'c', 'd', 'long10'],
    });
    const weights = weightsByPaths(graph, graph.head('top'));
    expect([weights.get(eventCid('base')), weights.get(eventCid('long1'))]).toEqual([12n, 10n]);
    const order = orderByWeight(graph.head('top'), parentsOf(graph, weights)).map(graph.nameOf);
    expect(order.slice(0, 2)).toEqual(['base', 'long1']);
  });

  test('orders 200 rounds of crossing histories in linear time', () => {
    const parents: Record<string, string[]> = { a0: [], b0: [] };
    for (let round = 1; round <= 200; round++)
      for (const side of ['a', 'b']) parents[`${side}${round}`] = [`a${round - 1}`, `b${round - 1}`];
    const graph = dag(parents);
    const order = orderByWeight(
      graph.head('a200', 'b200'),
      new Map([...graph.events].map(([cid, event]) => [cid, event.parents])),
    );
    expect(order).toHaveLength(402);
    expect(order.slice(-2).map(graph.nameOf).sort()).toEqual(['a200', 'b200']);
  });
});

test('draws the graph, oldest first', async () => {
  const graph = dag({ a: [], b: ['a'], c: ['a', 'b'] });
  expect(await draw(graph.head('c'), graph.read, graph.nameOf)).toBe('  a (a)\n  b (b) <- a\n* c (c) <- a b');
  const [line] = (await draw(graph.head('a'), graph.read)).split('\n');
  expect(line).toBe(`* ${eventCid('a').slice(-5)} (a)`);
  const removes = { operations: [{ key: 'k', value: undefined }], root: eventCid('a'), parents: [] };
  expect(await draw(graph.head('a'), async () => removes, graph.nameOf)).toBe('* a (-k)');
});
