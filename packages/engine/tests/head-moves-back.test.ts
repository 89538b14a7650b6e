/**
 * A head that loses events, as after the removal of a member (docs/decisions/0201): everything that
 * follows the head must forget what they wrote.
 */
import { describe, expect, test } from 'vitest';
import type { Head } from '../src/clock/event.ts';
import { changeFeed } from '../src/database/change-feed.ts';
import type { Database } from '../src/database/database.ts';
import { insideOf } from '../src/database/inside.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

async function opened(options = {}) {
  const world = memoryPlatform();
  const db = openDatabase('db', world.platform, { commitEachWrite: true, ...options });
  await db.put({ _id: 'a', tag: 'x', n: 1 });
  await db.put({ _id: 'b', tag: 'x', n: 1 });
  const before = await db.head();
  return { ...world, db, before };
}

async function moveTo(db: Database, head: readonly string[]): Promise<void> {
  const { commits } = (await insideOf(db)?.open()) ?? {};
  const accept = async () => ({ head: head as Head, rows: [], stored: () => undefined });
  await commits?.mergeRemote({ head: [], archives: [], remember: [], accept });
}

const tagged = async (db: Database, key: string) => (await db.query('tag', { key })).rows.map(({ id }) => id);

describe('after events left the head', () => {
  test('returns queries, history and documents of the earlier head', async () => {
    const { db, before } = await opened();
    await db.put({ _id: 'a', tag: 'y', n: 2 });
    await db.put({ _id: 'c', tag: 'y', n: 2 });
    expect([await tagged(db, 'x'), await tagged(db, 'y')]).toEqual([['b'], ['a', 'c']]);
    expect(await db.events()).toHaveLength(5);
    await moveTo(db, before);
    expect([await tagged(db, 'x'), await tagged(db, 'y')]).toEqual([['a', 'b'], []]);
    expect((await db.allDocs()).rows.map(({ key, value }) => [key, value['n']])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(await db.history('c')).toEqual([]);
    expect((await db.history('a')).map(({ value }) => value?.['n'])).toEqual([1]);
    expect(await db.events()).toHaveLength(3);
    await db.put({ _id: 'd', tag: 'x' });
    expect(await tagged(db, 'x')).toEqual(['a', 'b', 'd']);
  });

  test('tells listeners and readers of changes which documents are different', async () => {
    const { db, before } = await opened();
    await db.put({ _id: 'a', n: 2 });
    await db.put({ _id: 'c', n: 2 });
    const [after, place] = [await db.head(), await changeFeed(db).position()];
    const told: string[] = [];
    (await insideOf(db)?.open())?.commits.subscribe(({ ids }) => void told.push(...ids));
    await moveTo(db, before);
    await db.put({ _id: 'd' });
    expect(told).toEqual(expect.arrayContaining(['a', 'd']));
    const changed = (await db.changes(after)).rows.map(({ key, value }) => [key, value['n']]);
    expect(changed).toEqual([
      ['a', 1],
      ['c', undefined],
      ['d', undefined],
    ]);
    const page = await changeFeed(db).page(place);
    expect(JSON.stringify(page)).toContain('"d"');
    expect(JSON.stringify(page)).toContain('"c"');
    expect(await changeFeed(db).position()).toContain((await db.head())[0]);
  });

  test('ends a conflict with a version that left', async () => {
    const { db, before } = await opened();
    const { commits } = (await insideOf(db)?.open()) ?? {};
    await db.put({ _id: 'a', n: 2 });
    const [one] = await db.head();
    await moveTo(db, before);
    await db.put({ _id: 'a', n: 3 });
    const [other] = await db.head();
    await commits?.mergeRemote({ head: [one] as Head, archives: [], remember: [] });
    expect((await db.conflicts()).map(({ id }) => id)).toEqual(['a']);
    await moveTo(db, [other as string]);
    expect(await db.conflicts()).toEqual([]);
    expect(await db.get('a')).toMatchObject({ n: 3 });
  });

  test('changes nothing if compaction dropped a version that must return', async () => {
    const { db, before } = await opened({ history: { commits: 0 } });
    await db.put({ _id: 'a', n: 2 });
    await db.compact();
    const after = await db.head();
    await expect(moveTo(db, before)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
    expect([await db.head(), await db.get('a')]).toEqual([after, expect.objectContaining({ n: 2 })]);
  });

  test('opens the database at the earlier head later', async () => {
    const { db, before, platform } = await opened();
    await db.put({ _id: 'a', n: 2 });
    await moveTo(db, before);
    await db.close();
    const again = openDatabase('db', platform, { commitEachWrite: true });
    expect([await again.head(), await again.get('a')]).toEqual([before, expect.objectContaining({ n: 1 })]);
  });
});
