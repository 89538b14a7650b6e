import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../codec/cid.ts';
import { chain, closure, dag, eventCid, maximal, someDag } from './dag.fixture.ts';
import type { Head } from './event.ts';
import { type FeedPlace, OldestChanges, parsePlace, placeText } from './oldest-changes.ts';

const START: FeedPlace = { head: [] };

/** Reads all pages from a place to a head. Passes each place on as a text. */
async function pagesOf(changes: OldestChanges, head: Head, limit: number, from = START) {
  const pages: (readonly (readonly [string, Cid])[])[] = [];
  for (let place = from; ; ) {
    const page = await changes.page(head, place, limit);
    pages.push([...page.keys]);
    place = parsePlace(placeText(page.place));
    if (page.isLast) return { pages, place };
  }
}

describe('OldestChanges', () => {
  test('returns all writes of a linear history in their order, in pages of the limit', async () => {
    const graph = dag(chain('e', 7));
    const { pages, place } = await pagesOf(new OldestChanges(graph.read), graph.head('e7'), 3);
    expect(pages.map((page) => page.map(([key]) => key))).toEqual([
      ['e1', 'e2', 'e3'],
      ['e4', 'e5', 'e6'],
      ['e7'],
    ]);
    expect(place.head).toEqual(graph.head('e7'));
  });

  test('divides the operations of a large event, also after a restart', async () => {
    const keys = Array.from({ length: 10 }, (_, n) => `k${n}`);
    const graph = dag({ a: [], b: ['a'], c: ['b'] }, (name) => (name === 'b' ? keys : [name]));
    const seen: string[] = [];
    let place = START;
    for (let isLast = false; !isLast; ) {
      const page = await new OldestChanges(graph.read).page(graph.head('c'), place, 4);
      seen.push(...page.keys.keys());
      ({ isLast } = page);
      place = parsePlace(placeText(page.place));
    }
    expect(seen).toEqual(['a', ...keys, 'c']);
  });

  test('returns a key once in a page, with its newest event there', async () => {
    const graph = dag(chain('e', 50), () => ['counter']);
    const { pages } = await pagesOf(new OldestChanges(graph.read), graph.head('e50'), 2);
    expect(pages).toEqual([[['counter', eventCid('e50')]]]);
  });

  test('returns every write of branching histories at least once, in any pages, with and without a restart', async () => {
    await fc.assert(
      fc.asyncProperty(
        someDag,
        fc.integer({ min: 1, max: 5 }),
        fc.boolean(),
        async ({ graph, heads }, limit, restarts) => {
          const one = new OldestChanges(graph.read);
          const [head = [], second = []] = heads;
          const grown = maximal(graph, [...head, ...second]);
          let place = START;
          let before = new Set<string>();
          for (const target of [head, grown]) {
            for (let isLast = false; !isLast; ) {
              const page = await (restarts ? new OldestChanges(graph.read) : one).page(target, place, limit);
              const next = parsePlace(placeText(page.place));
              // The first keys of an event that was divided are on the previous page.
              const returned = new Set([...page.keys.keys(), ...(place.within ? before : [])]);
              const passed = closure(graph, place.head);
              for (const cid of closure(graph, next.head))
                if (!passed.has(cid))
                  for (const { key } of graph.events.get(cid)?.operations ?? [])
                    expect(returned).toContain(key);
              expect(page.keys.size).toBeLessThanOrEqual(limit);
              before = returned;
              place = next;
              ({ isLast } = page);
            }
          }
          expect(place).toEqual({ head: grown });
        },
      ),
      { numRuns: 300 },
    );
  });

  test('reads each event a constant number of times, however many pages there are', async () => {
    const graph = dag(chain('e', 2000));
    const { pages } = await pagesOf(new OldestChanges(graph.read), graph.head('e2000'), 10);
    expect(pages).toHaveLength(200);
    expect(graph.readCount()).toBeLessThan(2 * 2000 + 10);
  });

  test('returns writes that arrive between two pages, once each, to several readers of the same walk', async () => {
    const graph = dag({ ...chain('e', 20), ...chain('x', 5, 'e10'), joined: ['e20', 'x5'] });
    const changes = new OldestChanges(graph.read);
    const first = await changes.page(graph.head('e10'), START, 4);
    const [one, two] = [first.place, first.place].map((place) => ({ place, seen: [] as string[] }));
    for (const reader of [one, two, one, two, one, two, one, two, one, two, one, two, one, two, one, two])
      if (reader !== undefined) {
        const page = await changes.page(graph.head('joined'), reader.place, 4);
        reader.seen.push(...page.keys.keys());
        reader.place = page.place;
      }
    const later = [...Object.keys(chain('e', 20)).slice(4), ...Object.keys(chain('x', 5)), 'joined'];
    for (const reader of [one, two]) expect(reader?.seen.toSorted()).toEqual(later.toSorted());
  });

  test('continues long walks after it dropped the events that were read', async () => {
    const graph = dag(chain('e', 25_000));
    const { pages } = await pagesOf(new OldestChanges(graph.read), graph.head('e25000'), 900);
    expect(pages.flat().map(([key]) => key)).toEqual(Object.keys(chain('e', 25_000)));
  });

  test('rejects a position that this history does not have', async () => {
    const graph = dag(chain('e', 3));
    const unknown = { head: [eventCid('other')] };
    await expect(new OldestChanges(graph.read).page(graph.head('e3'), unknown, 1)).rejects.toMatchObject({
      code: 'MISSING_BLOCK',
    });
  });
});

describe('parsePlace', () => {
  const event = eventCid('a');
  test.each([
    '',
    'x',
    '~',
    `${event}~`,
    `${event}~x~1`,
    `${event}~${event}~0`,
    `${event}~${event}~1~2`,
    'start.',
  ])('rejects %j', (text) => {
    expect(() => parsePlace(text)).toThrow(expect.objectContaining({ code: 'HEAD_INVALID' }));
  });

  test('returns the place of a text', () => {
    for (const place of [
      START,
      { head: [event] },
      { head: [event], within: { event: eventCid('b'), passed: 3 } },
    ])
      expect(parsePlace(placeText(place))).toEqual(place);
  });
});

test('returns the writes of events that left the head, then new ones', async () => {
  const graph = dag({ ...chain('e', 4), f: ['e2'], g: ['f'] });
  const { place } = await pagesOf(new OldestChanges(graph.read), graph.head('e4'), 9);
  const keys: string[] = [];
  let next = place;
  // Each page is read by another process.
  for (let isLast = false; !isLast; ) {
    const page = await new OldestChanges(graph.read).page(graph.head('g'), next, 1);
    keys.push(...page.keys.keys());
    ({ place: next, isLast } = page);
  }
  expect([new Set(keys), next.head]).toEqual([new Set(['e3', 'e4', 'f', 'g']), graph.head('g')]);
  const back = await new OldestChanges(graph.read).page(graph.head('e2'), place, 9);
  expect([[...back.keys.keys()], back.place.head]).toEqual([['e3', 'e4'], graph.head('e2')]);
  // The events left after the first page.
  const changes = new OldestChanges(graph.read);
  const first = await changes.page(graph.head('e4'), START, 3);
  const second = await changes.page(graph.head('g'), first.place, 9);
  expect([[...first.keys.keys()], [...second.keys.keys()]]).toEqual([
    ['e1', 'e2', 'e3'],
    ['e3', 'f', 'g'],
  ]);
});
