import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../codec/cid.ts';
import { closure, type Dag, dag, eventCid, linkOf, someDag } from './dag.fixture.ts';
import type { Head } from './event.ts';
import { historyOf, type OrderedEvent } from './history-order.ts';
import { collectSurvivingWrites } from './surviving-writes.ts';

async function survivors(graph: Dag, head: Head, copiesMax?: number): Promise<ReadonlySet<Cid>> {
  const { add, values } = collectSurvivingWrites(copiesMax);
  for await (const one of historyOf(head, graph.read, async () => undefined)) add(one);
  return values;
}

/**
 * Computes the survivors from the definition: a value survives unless a descendant of its event
 * wrote the same key.
 */
function unsuperseded(graph: Dag, head: Head): Set<Cid> {
  const found = new Set<Cid>();
  const all = [...closure(graph, head)];
  const keysOf = (cid: Cid) => new Set(graph.events.get(cid)?.operations.map(({ key }) => key));
  for (const cid of all)
    for (const key of keysOf(cid)) {
      const isSuperseded = all.some(
        (later) => later !== cid && keysOf(later).has(key) && closure(graph, [later]).has(cid),
      );
      const value = graph.events.get(cid)?.operations.findLast((one) => one.key === key)?.value;
      if (!isSuperseded && value !== undefined) found.add(value);
    }
  return found;
}

describe('a written value', () => {
  test('[R8] survives unless a later write of the same key descends from it; a limited search may keep more values', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, fc.nat(6), async ({ graph, heads: [head = []] }, copiesMax) => {
        const expected = unsuperseded(graph, head);
        expect(await survivors(graph, head)).toEqual(expected);
        const some = await survivors(graph, head, copiesMax);
        expect([...expected].filter((value) => !some.has(value))).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });

  test('[R11] is dropped if both branches replaced it, unless the search would take too long', async () => {
    const graph = dag({ old: [], a: ['old'], b: ['old'], top: ['a', 'b'] }, (name) =>
      name === 'top' ? ['other'] : ['key'],
    );
    const old = linkOf('old:key');
    expect((await survivors(graph, graph.head('top'))).has(old)).toBe(false);
    const crossed = dag({ old: [], side: [], new: ['old', 'side'], other: ['old', 'side'] }, (name) => [
      name === 'old' || name === 'new' ? 'key' : name,
    ]);
    expect((await survivors(crossed, crossed.head('new', 'other'))).has(old)).toBe(false);
    expect((await survivors(crossed, crossed.head('new', 'other'), 0)).has(old)).toBe(true);
  });

  test('[R11] is dropped if a later event removed its key', () => {
    const { add, values } = collectSurvivingWrites();
    const one = (name: string, parents: string[], value: Cid | undefined): OrderedEvent => ({
      cid: eventCid(name),
      event: { root: linkOf(name), parents: parents.map(eventCid), operations: [{ key: 'key', value }] },
      isNarrow: true,
    });
    add(one('removed', ['written'], undefined));
    add(one('written', [], linkOf('written')));
    expect([...values]).toEqual([]);
  });
});
