import type { ChangeFeed } from 'fixpoint/feed';
import { expect, test } from 'vitest';
import { changesJson, changesPage } from './changes-page.ts';

/** A feed of documents with a text of some length. Positions are numbers. Counts what is read. */
function feedOf(count: number, length = 1) {
  const limits: number[] = [];
  const feed: ChangeFeed = {
    page: async (after = '0', { limit = 1000 } = {}) => {
      limits.push(limit);
      const from = Number(after);
      const to = Math.min(count, from + limit);
      const rows = Array.from({ length: to - from }, (_, n) => {
        const key = `d${from + n}`;
        return { key, clock: `event-${from + n}`, value: { _id: key, text: 'x'.repeat(length) } };
      });
      return { rows, position: String(to), isLast: to === count };
    },
    position: async () => String(count),
  };
  return { feed, limits };
}

const parsed = (changes: readonly string[]) => changes.map((one) => JSON.parse(one) as { id: string });

test('reads as many changes as the limit allows, in small steps', async () => {
  const { feed, limits } = feedOf(100);
  const page = await changesPage(feed, undefined, { limit: 40, bytes: 1_000_000 });
  expect(parsed(page.changes).map(({ id }) => id)).toEqual(Array.from({ length: 40 }, (_, n) => `d${n}`));
  expect(page).toMatchObject({ position: '40', isLast: false });
  expect(limits).toEqual([16, 16, 8]);
  const rest = await changesPage(feed, page.position, { limit: 1000, bytes: 1_000_000 });
  expect([rest.changes.length, rest.position, rest.isLast]).toEqual([60, '100', true]);
});

test('ends a page of large documents early, and reads no further', async () => {
  const { feed, limits } = feedOf(100, 1000);
  const page = await changesPage(feed, undefined, { limit: 1000, bytes: 20_000 });
  expect([page.changes.length, page.position, page.isLast]).toEqual([32, '32', false]);
  expect(limits).toHaveLength(2);
});

test('returns at least one step, however small the limit of bytes', async () => {
  const { feed } = feedOf(3, 1000);
  expect((await changesPage(feed, undefined, { limit: 1, bytes: 0 })).changes).toHaveLength(1);
  expect(await changesPage(feed, '3', { limit: 1, bytes: 0 })).toEqual({
    changes: [],
    position: '3',
    isLast: true,
  });
});

test('shows deleted documents without content, and the event of each change', async () => {
  const feed: ChangeFeed = {
    page: async () => ({
      rows: [
        { key: 'a', clock: 'e1', value: { _id: 'a', _deleted: true } },
        { key: 'b', clock: 'e2', value: { _id: 'b', _deleted: 'no' } },
      ],
      position: 'p"1',
      isLast: true,
    }),
    position: async () => 'p',
  };
  const page = await changesPage(feed, undefined, { limit: 5, bytes: 100 });
  expect(JSON.parse(changesJson(page))).toEqual({
    changes: [
      { id: 'a', event: 'e1', deleted: true },
      { id: 'b', event: 'e2', doc: { _id: 'b', _deleted: 'no' } },
    ],
    position: 'p"1',
    isLast: true,
  });
});
