import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fixpoint } from '../entries/node.ts';
import { type ChangeFeed, changeFeed } from './change-feed.ts';
import type { Database } from './database.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-feed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newDirectory = () => mkdtempSync(join(base, 'db-'));

async function all(feed: ChangeFeed, after?: string, limit = 2) {
  const rows: object[] = [];
  for (let position = after; ; ) {
    const page = await feed.page(position, { limit });
    rows.push(...page.rows.map(({ value }) => value));
    ({ position } = page);
    if (page.isLast) return { rows, position };
  }
}

test('returns all changes, oldest first, and continues from a position after the database was opened again', async () => {
  const directory = newDirectory();
  const db = fixpoint('feed', { directory, commitEachWrite: true });
  await db.bulk(['a', 'b', 'c', 'd', 'e'].map((_id) => ({ _id, n: 1 })));
  await db.put({ _id: 'f', n: 1 });
  const first = await all(changeFeed(db));
  expect(first.rows).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((_id) => ({ _id, n: 1 })));
  const middle = await changeFeed(db).page(undefined, { limit: 4 });
  expect(middle).toMatchObject({ isLast: false });
  expect(await changeFeed(db).position()).toBe(first.position);
  await db.put({ _id: 'a', n: 2 });
  await db.del('b');
  await db.close();
  const again = fixpoint('feed', { directory, commitEachWrite: true });
  const changed = [
    { _id: 'a', n: 2 },
    { _id: 'b', _deleted: true },
  ];
  expect((await all(changeFeed(again), first.position)).rows).toEqual(changed);
  const rest = [{ _id: 'e', n: 1 }, { _id: 'f', n: 1 }, ...changed];
  expect((await all(changeFeed(again), middle.position)).rows).toEqual(rest);
  await again.close();
});

test('includes writes that were acknowledged before the call, and those of other handles', async () => {
  const directory = newDirectory();
  const [one, two]: Database[] = [0, 1].map(() => fixpoint('feed-handles', { directory }));
  await one?.put({ _id: 'a' });
  const { rows, position } = await all(changeFeed(two as Database));
  expect(rows).toEqual([{ _id: 'a' }]);
  await Promise.all(Array.from({ length: 20 }, (_, n) => one?.put({ _id: `n${n}` })));
  expect((await all(changeFeed(two as Database), position)).rows).toHaveLength(20);
  await one?.close();
  await two?.close();
});

test('rejects positions that compaction dropped, and starts again from the oldest state that is left', async () => {
  const db = fixpoint('feed-dropped', {
    directory: newDirectory(),
    commitEachWrite: true,
    history: { commits: 2 },
  });
  await db.put({ _id: 'a', n: 0 });
  const early = await changeFeed(db).position();
  for (let n = 1; n < 30; n++) await db.put({ _id: n % 2 ? 'a' : 'b', n });
  await db.compact();
  await expect(changeFeed(db).page(early)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  const ids = (await all(changeFeed(db))).rows.map((row) => (row as { _id: string })._id);
  expect(new Set(ids)).toEqual(new Set(['a', 'b']));
  await db.close();
});

test('rejects limits below 1, wrong positions and foreign handles', async () => {
  const db = fixpoint('feed-wrong', { directory: newDirectory() });
  const feed = changeFeed(db);
  expect(await feed.page()).toEqual({ rows: [], position: await feed.position(), isLast: true });
  for (const limit of [0, -1, 1.5])
    await expect(feed.page(undefined, { limit })).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  await expect(feed.page('nowhere')).rejects.toMatchObject({ code: 'HEAD_INVALID' });
  expect(() => changeFeed({ ...db })).toThrow(expect.objectContaining({ code: 'NOT_IMPLEMENTED' }));
  await db.close();
});
