import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chain, closure, dag, someDag } from './dag.fixture.ts';
import { historyOf, type OrderedEvent } from './history-order.ts';

const restless = async () => undefined;

describe('historyOf', () => {
  test('[R8] yields all events of a head, children before parents, and calls an event narrow if no other is concurrent with it', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, async ({ graph, heads: [head = []] }) => {
        const listed: OrderedEvent[] = [];
        for await (const one of historyOf(head, graph.read, restless)) listed.push(one);
        const cids = listed.map(({ cid }) => cid);
        expect(cids).toHaveLength(new Set(cids).size);
        expect(new Set(cids)).toEqual(closure(graph, head));
        for (const [at, { cid, event, isNarrow }] of listed.entries()) {
          for (const parent of event.parents) expect(cids.indexOf(parent)).toBeGreaterThan(at);
          const before = closure(graph, [cid]);
          expect(isNarrow).toBe(cids.every((other) => before.has(other) || closure(graph, [other]).has(cid)));
        }
      }),
      { numRuns: 200 },
    );
  });

  test('yields each event once, children first, when one event of the head descends from another', async () => {
    const graph = dag(chain('a', 10));
    const listed: OrderedEvent[] = [];
    for await (const one of historyOf(graph.head('a4', 'a10'), graph.read, restless)) listed.push(one);
    const cids = listed.map(({ cid }) => cid);
    expect(cids).toHaveLength(new Set(cids).size);
    for (const [at, { event }] of listed.entries())
      for (const parent of event.parents) expect(cids.indexOf(parent)).toBeGreaterThan(at);
  });

  test('reads no more events of a linear history than requested', async () => {
    const graph = dag(chain('a', 100));
    const history = historyOf(graph.head('a100'), graph.read, restless);
    for (let n = 0; n < 5; n++) await history.next();
    expect(graph.readCount()).toBe(5);
  });

  test('[R11] pauses after each thousand events and operations, in linear and in branching histories', async () => {
    const chains = { ...chain('a', 3500), ...chain('b', 1000, 'a2000'), ...chain('c', 1000, 'a2000') };
    const pausesOf = async (keysOf: (name: string) => string[], ...heads: string[]) => {
      const graph = dag(chains, keysOf);
      let pauses = 0;
      const pause = async () => void pauses++;
      for await (const _ of historyOf(graph.head(...heads), graph.read, pause));
      return pauses;
    };
    const none = () => [];
    const some = (name: string) => Array.from({ length: 9 }, (_, n) => `${name} ${n}`);
    expect(await pausesOf(none, 'a3500')).toBe(3);
    expect(await pausesOf(some, 'a3500')).toBe(35);
    expect(await pausesOf(none, 'b1000', 'c1000')).toBe(4);
    expect(await pausesOf(some, 'b1000', 'c1000')).toBe(40);
  });
});
