import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, fixpoint } from 'fixpoint';
import { rowsOf } from 'fixpoint/rows';
import { expect, onTestFinished, test } from 'vitest';
import { type LiveRows, liveRows, type RowsQuery } from './live-rows.ts';

const idOf = (n: number) => `d-${String(n).padStart(4, '0')}`;

async function databaseOf(count: number): Promise<Database> {
  const directory = mkdtempSync(join(tmpdir(), 'fixpoint-'));
  const database = fixpoint('rows', { directory });
  onTestFinished(async () => {
    await database.close().catch(() => undefined);
    rmSync(directory, { recursive: true });
  });
  const docs = Array.from({ length: count }, (_, n) => ({ _id: idOf(n), n, odd: n % 2 === 1 }));
  if (docs.length > 0) await database.bulk(docs);
  return database;
}

function follow(database: Database, query: Partial<RowsQuery> = {}): LiveRows {
  const live = liveRows(rowsOf(database), database, { descending: false, ...query });
  onTestFinished(live.subscribe(() => undefined));
  return live;
}

const isThere = (live: LiveRows) => live.current().phase === 'there' && live.current().isCounted;
const idsIn = (live: LiveRows, from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => live.rowAt(from + at)?.id);

test('reads the rows in view, and counts all rows', async () => {
  const live = follow(await databaseOf(1000));
  await expect.poll(() => isThere(live)).toBe(true);
  expect([live.current().count, live.rowAt(0)?.id, live.rowAt(700)]).toEqual([1000, idOf(0), undefined]);
  live.show(700, 720, ['n']);
  await expect.poll(() => live.rowAt(710)?.cell('n')?.text).toBe('710');
  expect(live.indexOf(idOf(710))).toBe(710);
});

test('keeps the rows in view in place when other rows change', async () => {
  const database = await databaseOf(600);
  const live = follow(database);
  await expect.poll(() => isThere(live)).toBe(true);
  live.show(300, 310, ['n']);
  await expect.poll(() => live.rowAt(300)?.id).toBe(idOf(300));
  await database.bulk([{ _id: 'a-first' }, { _id: 'a-second' }]);
  await database.del(idOf(5));
  await database.put({ _id: idOf(300), n: 'new' });
  await expect.poll(() => live.current().count).toBe(601);
  await expect.poll(() => live.indexOf(idOf(300))).toBe(301);
  await expect.poll(() => live.rowAt(301)?.cell('n')?.text).toBe('new');
});

test('moves the next row to the top of the view when the top row is deleted', async () => {
  const database = await databaseOf(300);
  const live = follow(database);
  await expect.poll(() => isThere(live)).toBe(true);
  live.show(200, 210, ['n']);
  await expect.poll(() => live.rowAt(200)?.id).toBe(idOf(200));
  await database.del(idOf(200));
  await expect.poll(() => live.rowAt(200)?.id).toBe(idOf(201));
  expect(live.current().count).toBe(299);
});

test('applies conditions and a sort field, and follows changes', async () => {
  const database = await databaseOf(400);
  const live = follow(database, {
    where: { odd: true },
    sort: 'n',
    descending: true,
  });
  await expect.poll(() => live.current().count).toBe(200);
  await expect.poll(() => live.rowAt(0)?.id).toBe(idOf(399));
  expect(idsIn(live, 0, 3)).toEqual([399, 397, 395].map(idOf));
  await database.put({ _id: 'x', n: 1000, odd: true });
  await database.del(idOf(399));
  await expect.poll(() => idsIn(live, 0, 3)).toEqual(['x', idOf(397), idOf(395)]);
  expect(live.current().searching).toBe(undefined);
});

test('shows an empty result without an error, and shows later matches', async () => {
  const database = await databaseOf(0);
  const live = follow(database, { texts: [{ text: 'milk' }] });
  await expect.poll(() => live.current().phase).toBe('there');
  expect(live.current().count).toBe(0);
  await database.put({ _id: 'a', item: 'Milk' });
  await expect.poll(() => live.rowAt(0)?.id).toBe('a');
});

test('starts with the last id in descending order', async () => {
  const live = follow(await databaseOf(250), { descending: true });
  await expect.poll(() => isThere(live)).toBe(true);
  expect(live.rowAt(0)?.id).toBe(idOf(249));
  live.show(240, 249, ['n']);
  await expect.poll(() => live.rowAt(249)?.id).toBe(idOf(0));
});

test('reports a database that can’t be read', async () => {
  const database = await databaseOf(1);
  await database.close();
  const live = follow(database);
  await expect.poll(() => live.current().phase).toBe('failed');
});

/** Rows of a database whose search yields its results when the test says so. */
function heldRows(database: Database) {
  const steps: ((part: readonly string[] | undefined) => void)[] = [];
  const rows = rowsOf(database);
  async function* find() {
    for (;;) {
      const part = await new Promise<readonly string[] | undefined>((resolve) => steps.push(resolve));
      if (part === undefined) return;
      yield part;
    }
  }
  const give = async (part: readonly string[] | undefined) => {
    await expect.poll(() => steps.length).toBeGreaterThan(0);
    steps.shift()?.(part);
  };
  return { rows: { ...rows, find }, give };
}

test('shows all rows in view while the search still runs, and says that the count may grow', async () => {
  const database = await databaseOf(300);
  const { rows, give } = heldRows(database);
  const live = liveRows(rows, database, { descending: false, where: { n: { gte: 0 } } });
  onTestFinished(live.subscribe(() => undefined));
  live.show(0, 40, ['n']);
  const ids = Array.from({ length: 300 }, (_, n) => idOf(n));
  await give(ids.slice(0, 7));
  await expect.poll(() => live.rowAt(6)?.id).toBe(idOf(6));
  expect(live.current()).toMatchObject({ searching: 'first', count: 7, isCounted: false });
  await expect(live.idsAt(0, 7)).rejects.toThrow('the search is still running');
  // The feed reports its progress at most once in 100 ms.
  await new Promise((resolve) => setTimeout(resolve, 120));
  await give(ids.slice(7, 150));
  await expect.poll(() => live.rowAt(40)?.cell('n')?.text).toBe('40');
  expect(live.current()).toMatchObject({ searching: 'first', count: 150, isCounted: false });
  await give(ids.slice(150));
  await give(undefined);
  await expect.poll(() => live.current().searching).toBe(undefined);
  expect(live.current()).toMatchObject({ count: 300, isCounted: true });
  await database.del(idOf(3));
  await expect.poll(() => live.current().searching).toBe('again');
  expect(live.current().isCounted).toBe(true);
});

test('finds the ids of the rows on screen after the database changed, and those of the rows below', async () => {
  const database = await databaseOf(600);
  const rows = rowsOf(database);
  let isHeld = false;
  const window: typeof rows.window = (options) =>
    isHeld && options?.after === undefined ? new Promise(() => undefined) : rows.window(options);
  const live = liveRows({ ...rows, window }, database, { descending: false });
  onTestFinished(live.subscribe(() => undefined));
  await expect.poll(() => isThere(live) && live.rowAt(199) !== undefined).toBe(true);
  isHeld = true;
  await database.put({ _id: 'a-first' });
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => idOf(from + at));
  expect(await live.idsAt(195, 20)).toEqual(ids(195, 215));
  await database.put({ _id: 'z-last' });
  expect(await live.idsAt(195, 500)).toEqual(ids(195, 600));
});

test('finds the ids of matching rows below the loaded ones', async () => {
  const live = follow(await databaseOf(900), { where: { odd: true } });
  await expect.poll(() => live.current().searching).toBe(undefined);
  await expect.poll(() => live.rowAt(100)?.id).toBe(idOf(201));
  expect((await live.idsAt(100, 300)).at(-1)).toBe(idOf(799));
});
