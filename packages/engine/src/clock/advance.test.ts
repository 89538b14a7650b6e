import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { advance, mergeHeads } from './advance.ts';
import { chain, dag, eventCid, maximal, someDag } from './dag.fixture.ts';

describe('advance', () => {
  test('removes an event from the head when a new event descends from it', async () => {
    const { head, read } = dag({ a: [], b: ['a'] });
    expect(await advance(head('a'), eventCid('b'), read)).toEqual(head('b'));
  });

  test('replaces several events with one', async () => {
    const { head, read } = dag({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] });
    expect(await advance(head('b', 'c'), eventCid('d'), read)).toEqual(head('d'));
  });

  test('ignores an event that is in the head or is an ancestor of the head', async () => {
    const { head, read } = dag({ a: [], b: ['a'], c: ['b'] });
    expect(await advance(head('c'), eventCid('a'), read)).toEqual(head('c'));
    expect(await advance(head('c'), eventCid('c'), read)).toEqual(head('c'));
  });

  test('keeps concurrent events in the head', async () => {
    const { head, read } = dag({ a: [], b: ['a'], c: ['a'] });
    expect(await advance(head('b'), eventCid('c'), read)).toEqual(head('b', 'c'));
  });

  test('keeps events with different first events in the head', async () => {
    const { head, read } = dag({ a: [], b: ['a'], x: [], y: ['x'] });
    expect(await advance(head('b'), eventCid('y'), read)).toEqual(head('b', 'y'));
  });
});

describe('mergeHeads', () => {
  test('[P1] keeps only events that are not an ancestor of another event', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, async ({ graph, heads: [a = [], b = []] }) => {
        expect(await mergeHeads(a, b, graph.read)).toEqual(maximal(graph, [...a, ...b]));
      }),
      { numRuns: 500 },
    );
  });

  test('[P1] keeps only events that are not an ancestor of another event, even if the arguments are not heads', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, fc.infiniteStream(fc.nat()), async ({ graph }, picks) => {
        const all = [...graph.events.keys()];
        const some = () =>
          Array.from(
            { length: 4 },
            () => all[(picks.next().value as number) % all.length] ?? eventCid('first'),
          );
        const [a, b] = [some(), some()];
        expect(await mergeHeads(a, b, graph.read)).toEqual(maximal(graph, [...a, ...b]));
      }),
      { numRuns: 500 },
    );
  });

  test('[P1] gives the same head, whatever the order in which heads are merged', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, fc.nat(), async ({ graph: { read }, heads }, turn) => {
        const orders = [
          heads,
          [...heads].reverse(),
          [...heads.slice(turn % heads.length), ...heads.slice(0, turn % heads.length)],
        ];
        const results = [];
        for (const order of orders) {
          let head = order[0] ?? [];
          for (const next of order) head = await mergeHeads(head, next, read);
          results.push(head);
        }
        expect(results).toEqual([results[0], results[0], results[0]]);
      }),
    );
  });

  test('stops reading soon after histories meet', async () => {
    const { head, read, readCount } = dag({
      ...chain('old', 10_000),
      ...chain('a', 20, 'old10000'),
      ...chain('b', 5, 'old10000'),
    });
    expect(await mergeHeads(head('a20'), head('b5'), read)).toEqual(head('a20', 'b5'));
    expect(readCount()).toBeLessThan(80);
  });

  test('does not read the history before the older head when the newer head descends from it', async () => {
    const { head, read, readCount } = dag({ ...chain('old', 10_000), ...chain('new', 50, 'old10000') });
    expect(await mergeHeads(head('old10000'), head('new50'), read)).toEqual(head('new50'));
    expect(await mergeHeads(head('new50'), head('old10000'), read)).toEqual(head('new50'));
    expect(readCount()).toBeLessThan(250);
  });

  test('does not read the history before the older head, even if the newer head merged an old branch', async () => {
    const { head, read, readCount } = dag({
      ...chain('old', 10_000),
      offline: ['old5000'],
      ...chain('new', 50, 'old10000'),
      joined: ['new50', 'offline'],
    });
    expect(await mergeHeads(head('old10000'), head('joined'), read)).toEqual(head('joined'));
    expect(readCount()).toBeLessThan(250);
  });

  test('does not read the whole history after one of the heads merged an old branch', async () => {
    const { head, read, readCount } = dag({
      ...chain('old', 10_000),
      ...chain('main', 50, 'old10000'),
      offline: ['old9990'],
      joined: ['main50', 'offline'],
      x: ['joined'],
      y: ['main50'],
    });
    expect(await mergeHeads(head('x'), head('y'), read)).toEqual(head('x', 'y'));
    expect(readCount()).toBeLessThan(500);
  });

  test('[R4] rejects a head whose history has a gap', async () => {
    const { head, read, events } = dag({
      ...chain('old', 10),
      ...chain('a', 5, 'old10'),
      ...chain('b', 5, 'old10'),
    });
    events.delete(eventCid('b2'));
    await expect(mergeHeads(head('a5'), head('b5'), read)).rejects.toThrow(
      expect.objectContaining({ code: 'MISSING_BLOCK' }),
    );
  });

  test('reads nothing if both heads are equal', async () => {
    const { head, read, readCount } = dag(chain('a', 3));
    expect(await mergeHeads(head('a3'), head('a3'), read)).toEqual(head('a3'));
    expect(readCount()).toBe(0);
  });
});
