import type { CommitEvent } from 'fixpoint';
import { expect, test } from 'vitest';
import { NO_COMMITS, PAGE, refreshed, withMore } from './commit-pages.ts';

const { signal } = new AbortController();

const commit = (event: string, parents: readonly string[], more: Partial<CommitEvent> = {}): CommitEvent => ({
  event,
  parents,
  ids: ['a'],
  documents: 1,
  deletedIds: [],
  deletions: 0,
  state: 'sent',
  ...more,
});

/** Returns a sequence of commits, newest first. */
const line = (count: number, from = 0): CommitEvent[] =>
  Array.from({ length: count }, (_, n) => count - 1 - n + from).map((n) =>
    commit(`e${n}`, n === 0 ? [] : [`e${n - 1}`]),
  );

function database(rows: readonly CommitEvent[], head: readonly string[] = [rows[0]?.event ?? '']) {
  const here = {
    rows,
    head: () => Promise.resolve(head as never),
    asked: [] as (string | undefined)[],
    events: ({ limit = 50, after }: { limit?: number; after?: string | undefined } = {}) => {
      here.asked.push(after);
      const from = after === undefined ? 0 : here.rows.findIndex(({ event }) => event === after) + 1;
      return Promise.resolve(here.rows.slice(from, from + limit));
    },
  };
  return here;
}

async function all(source: ReturnType<typeof database>, pages: number) {
  let known = await refreshed(source, NO_COMMITS, signal);
  for (let page = 1; page < pages; page++) known = await withMore(source, known, signal);
  return known;
}

test('reads each page once', async () => {
  const source = database(line(PAGE * 2 + 7));
  const known = await all(source, 3);
  expect(known.rows).toEqual(source.rows);
  expect(known.isAll).toBe(true);
  expect(source.asked).toEqual([undefined, `e${PAGE + 7}`, 'e7']);
});

test('reads only the newest page after a change, and keeps the others', async () => {
  const source = database(line(PAGE * 3));
  const known = await all(source, 3);
  const newer = database(line(PAGE * 3 + 2));
  const now = await refreshed(newer, known, signal);
  expect(now.rows).toEqual(newer.rows);
  expect(newer.asked).toEqual([undefined]);
});

test('finds commits inserted between older ones', async () => {
  const rows = line(PAGE * 3);
  const known = await all(database(rows), 3);
  const old = rows.findIndex(({ event }) => event === 'e5');
  const joined = [...rows.slice(0, old), commit('other', ['e4']), ...rows.slice(old)];
  const two = database(joined, ['other', `e${PAGE * 3 - 1}`]);
  expect((await refreshed(two, known, signal)).rows).toEqual(joined);
  const merge = commit('merge', ['other', `e${PAGE * 3 - 1}`]);
  const merged = database([merge, ...joined]);
  expect((await refreshed(merged, known, signal)).rows.slice(0, joined.length)).toEqual(
    merged.rows.slice(0, joined.length),
  );
});

test('rereads commits older than the newest page while they wait to be sent', async () => {
  const waiting = line(PAGE * 2).map((one): CommitEvent => ({ ...one, state: 'local' }));
  const known = await all(database(waiting), 2);
  const sent = database(line(PAGE * 2));
  const now = await refreshed(sent, known, signal);
  expect(now.rows.filter(({ state }) => state === 'local')).toEqual([]);
  sent.asked.length = 0;
  await refreshed(sent, now, signal);
  expect(sent.asked).toEqual([undefined]);
});

test('returns fewer commits after compaction', async () => {
  const known = await all(database(line(PAGE * 2)), 2);
  const left = line(5, PAGE * 2 - 5);
  expect(await refreshed(database(left), known, signal)).toMatchObject({ rows: left, isAll: true });
});
