import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../documents/genesis.ts';
import { changesInLine } from './changes-in-line.ts';
import { changesSince, descendsFrom, newestChanges } from './changes-since.ts';
import { chain, closure, dag, eventCid, linkOf, someDag } from './dag.fixture.ts';
import { decodeEvent } from './event.ts';
import { GENESIS_EVENT, genesisOf } from './genesis.ts';

describe('newestChanges', () => {
  test('returns the newest of all changes, in the order of `changesSince`', async () => {
    await fc.assert(
      fc.asyncProperty(
        someDag,
        fc.integer({ min: 0, max: 8 }),
        async ({ graph, heads: [head = []] }, limit) => {
          const all = await changesSince(head, [], graph.read);
          const newest = await newestChanges(head, limit, graph.read);
          expect(newest.length).toBeGreaterThanOrEqual(Math.min(limit, all.length));
          expect(newest).toEqual(newest.length === 0 ? [] : all.slice(-newest.length));
        },
      ),
      { numRuns: 500 },
    );
  });

  test('reads no more events of a linear history than needed', async () => {
    const { head, read } = dag({ a: [], b: ['a'], c: ['b'], d: ['c'] });
    const asked: string[] = [];
    const rows = await newestChanges(head('d'), 2, (cid) => {
      asked.push(cid);
      return read(cid);
    });
    expect(rows.map(({ key }) => key)).toEqual(['c', 'd']);
    expect(asked).toEqual([eventCid('d'), eventCid('c')]);
  });
});

describe('changesSince', () => {
  test('returns each key once, with its newest event, from oldest to newest', async () => {
    const keys: Record<string, string[]> = { a: ['x'], b: ['y'], c: ['x'], d: ['z', 'w'] };
    const { head, read } = dag({ a: [], b: ['a'], c: ['b'], d: ['c'] }, (name) => keys[name] ?? []);
    const rows = await changesSince(head('d'), [], read);
    expect(rows.map(({ key }) => key)).toEqual(['y', 'x', 'z', 'w']);
    expect(rows[1]).toEqual({ key: 'x', event: eventCid('c'), value: linkOf('c:x') });
    expect((await changesSince(head('d'), head('b'), read)).map(({ key }) => key)).toEqual(['x', 'z', 'w']);
    expect(await changesSince(head('d'), head('d'), read)).toEqual([]);
  });

  test('returns every change of concurrent branches that `since` does not include', async () => {
    const { head, read } = dag({ a: [], b: ['a'], c: ['a'], d: ['a'], joined: ['b', 'c', 'd'] });
    const keysSince = async (...since: string[]) =>
      (await changesSince(head('joined'), head(...since), read)).map(({ key }) => key).sort();
    expect(await keysSince('b')).toEqual(['c', 'd', 'joined']);
    expect(await keysSince('b', 'd')).toEqual(['c', 'joined']);
  });

  test('returns every new key once, and only keys that an event of the history wrote', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, async ({ graph, heads: [head = [], since = []] }) => {
        const known = closure(graph, since);
        const fresh = [...closure(graph, head)].filter((cid) => !known.has(cid));
        const expected = new Set(
          fresh.flatMap((cid) => graph.events.get(cid)?.operations.map(({ key }) => key) ?? []),
        );
        const told = (await changesSince(head, since, graph.read)).map(({ key }) => key);
        expect([...expected].filter((key) => !told.includes(key))).toEqual([]);
        expect(new Set(told).size).toBe(told.length);
        const written = [...closure(graph, head)].flatMap((cid) => graph.events.get(cid)?.operations ?? []);
        expect(told.filter((key) => !written.some((operation) => operation.key === key))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('returns exactly the new keys since an ancestor (on these graphs; in general, more keys are allowed)', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, async ({ graph, heads: [head = []] }) => {
        for (const since of graph.events.keys()) {
          const known = closure(graph, [since]);
          const fresh = [...closure(graph, head)].filter((cid) => !known.has(cid));
          if (!closure(graph, head).has(since)) continue;
          const told = await changesSince(head, [since], graph.read);
          const expected = new Set(
            fresh.flatMap((cid) => graph.events.get(cid)?.operations.map(({ key }) => key) ?? []),
          );
          expect(new Set(told.map(({ key }) => key))).toEqual(expected);
        }
      }),
      { seed: 20, numRuns: 300 },
    );
  });

  test('returns, for each key, a write that is not an ancestor of another write of that key', async () => {
    await fc.assert(
      fc.asyncProperty(someDag, async ({ graph, heads: [head = []] }) => {
        for (const { key, event } of await changesSince(head, [], graph.read)) {
          const later = [...closure(graph, head)].filter(
            (cid) =>
              cid !== event &&
              closure(graph, [cid]).has(event) &&
              graph.events.get(cid)?.operations.some((operation) => operation.key === key),
          );
          expect(later).toEqual([]);
        }
      }),
    );
  });

  test('reads new events and only few known ones', long, async () => {
    const { head, read, readCount } = dag({ ...chain('old', 10_000), ...chain('new', 20, 'old10000') });
    expect(await changesSince(head('new20'), head('old10000'), read)).toHaveLength(20);
    expect(readCount()).toBeLessThan(100);
  });

  test('reads back to where a merged branch forked', long, async () => {
    const { head, read, readCount } = dag({
      ...chain('old', 10_000),
      ...chain('a', 30, 'old10000'),
      ...chain('b', 10, 'old10000'),
      joined: ['a30', 'b10'],
    });
    expect(await changesSince(head('joined'), head('a30'), read)).toHaveLength(11);
    expect(readCount()).toBeLessThan(300);
  });

  test('returns nothing if `since` is ahead of the head', async () => {
    const { head, read } = dag({ a: [], b: ['a'], c: ['a'], d: ['c'], e: ['d'] });
    expect(await changesSince(head('b', 'c'), head('b', 'e'), read)).toEqual([]);
  });

  test('omits the genesis', async () => {
    const { blocks, head } = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
    expect(head).toEqual([GENESIS_EVENT]);
    const event = decodeEvent(blocks.at(-1)?.bytes ?? new Uint8Array());
    expect(await changesSince(head, [], async () => event)).toEqual([]);
  });
});

test('reports whether a head contains an event or descends from it (descendsFrom)', async () => {
  await fc.assert(
    fc.asyncProperty(someDag, async ({ graph, heads: [head = []] }) => {
      const behind = closure(graph, head);
      for (const event of graph.events.keys())
        expect(await descendsFrom(head, event, graph.read)).toBe(behind.has(event));
    }),
    { numRuns: 100 },
  );
});

describe('changesInLine', () => {
  const { head, read } = dag({
    a: [],
    b: ['a'],
    c: ['b'],
    left: ['c'],
    right: ['c'],
    joined: ['left', 'right'],
  });
  const inLine = (from: readonly string[], to: readonly string[], eventsMax?: number) =>
    changesInLine(head(...to), head(...from), read, eventsMax);

  test('returns the changes if each event follows the previous one, without branches', async () => {
    const [since, last] = [head('a'), head('c')];
    expect(await inLine(['a'], ['c'])).toEqual(await changesSince(last, since, read));
    expect(await inLine(['c'], ['c'])).toEqual([]);
    expect(await inLine(['c'], ['left'])).toHaveLength(1);
    expect(await inLine(['joined'], ['joined'])).toEqual([]);
  });

  test('returns undefined for histories that merge, start from an empty head, or do not contain the earlier event', async () => {
    for (const [from, to] of [
      [['c'], ['joined']],
      [['left'], ['joined']],
      [['left'], ['left', 'right']],
      [['left', 'right'], ['joined']],
      [[], ['c']],
      [['c'], ['a']],
      [['c'], []],
    ] as const)
      expect([from, to, await inLine(from, to)]).toEqual([from, to, undefined]);
  });

  test('returns undefined for more events than the maximum', async () => {
    expect(await inLine(['a'], ['c'], 2)).toBeDefined();
    expect(await inLine(['a'], ['c'], 1)).toBeUndefined();
  });
});
