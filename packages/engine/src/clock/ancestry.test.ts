import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Cid } from '../codec/cid.ts';
import { Ancestry } from './ancestry.ts';
import { closure, type Dag, dag, someDag } from './dag.fixture.ts';

function added({ events }: Dag, entriesMax?: number): Ancestry {
  const ancestry = new Ancestry(entriesMax);
  for (const [cid, { parents }] of events) ancestry.add(cid, parents);
  return ancestry;
}

test('knows for each two events whether one is an ancestor of the other', () => {
  fc.assert(
    fc.property(someDag, ({ graph }) => {
      const ancestry = added(graph);
      for (const of of graph.events.keys()) {
        const below = closure(graph, [of]);
        for (const cid of graph.events.keys())
          expect(ancestry.isAncestor(cid, of)).toBe(cid !== of && below.has(cid));
      }
    }),
    { numRuns: 200 },
  );
});

test('leaves to a walk what needs more memory than it may use, and is never wrong', () => {
  fc.assert(
    fc.property(someDag, fc.nat(20), ({ graph }, entriesMax) => {
      const ancestry = added(graph, entriesMax);
      for (const of of graph.events.keys())
        for (const cid of graph.events.keys())
          expect([undefined, cid !== of && closure(graph, [of]).has(cid)]).toContain(
            ancestry.isAncestor(cid, of),
          );
    }),
    { numRuns: 100 },
  );
});

test('needs one list of ancestors for each branch, not for each event', () => {
  const parents: Record<string, string[]> = { first: [] };
  for (const side of ['a', 'b'])
    for (let at = 0; at < 1000; at++) parents[`${side}${at}`] = [at === 0 ? 'first' : `${side}${at - 1}`];
  const graph = dag(parents);
  const ancestry = added(graph, 4);
  const [first, last] = [graph.head('a0')[0], graph.head('a999')[0]] as [Cid, Cid];
  expect(ancestry.isAncestor(first, last)).toBe(true);
  expect(ancestry.isAncestor(graph.head('b5')[0] as Cid, last)).toBe(false);
});
