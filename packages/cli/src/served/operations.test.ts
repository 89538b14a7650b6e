import type { Database } from 'fixpoint';
import type { ChangeFeed } from 'fixpoint/feed';
import { describe, expect, test } from 'vitest';
import { operationsOn } from './operations.ts';

const NO_FEED = {} as ChangeFeed;
const on = (db: Partial<Database>) => operationsOn(db as Database, NO_FEED);

describe('conflicts', () => {
  const version = (n: number) => ({ event: `e${n}`, parents: [], concurrent: true, value: { _id: 'x', n } });
  const conflicts = ['a', 'b', 'c'].map((id) => ({ id, winner: version(1), losers: [version(2)] }));
  const operations = on({ conflicts: (async () => ({ conflicts, unread: [] })) as never });
  const idsIn = (json: string) =>
    (JSON.parse(json) as { conflicts: { id: string }[] }).conflicts.map(({ id }) => id);

  test('lists them in pages by id', async () => {
    const first = await operations.conflicts({ limit: 2 });
    expect([idsIn(first), JSON.parse(first).next]).toEqual([['a', 'b'], 'b']);
    const second = await operations.conflicts({ limit: 2, after: 'b' });
    expect([idsIn(second), JSON.parse(second).next]).toEqual([['c'], undefined]);
    expect(JSON.parse(second).conflicts[0]).toEqual(conflicts[2]);
  });

  test('says which events can’t be read, so that the list may be incomplete', async () => {
    const damaged = on({ conflicts: (async () => ({ conflicts, unread: ['e0'] })) as never });
    expect(JSON.parse(await damaged.conflicts({ limit: 1 }))).toMatchObject({ unread: ['e0'], next: 'a' });
    expect(JSON.parse(await operations.conflicts({ limit: 1 }))).not.toHaveProperty('unread');
  });

  test('has no further page if the last one is exactly full', async () => {
    expect(JSON.parse(await operations.conflicts({ limit: 3 }))).not.toHaveProperty('next');
  });
});

describe('writes', () => {
  test('never writes a document whose condition is not met', async () => {
    const written: unknown[] = [];
    const current = { _id: 'a', n: 1 };
    const operations = on({
      update: (async (_id: string, change: (doc: object) => unknown) =>
        void written.push(change(current))) as never,
      put: (async (doc: object) => written.push(doc)) as never,
      get: (async () => current) as never,
    });
    const { tag } = await operations.get('a');
    const refused = expect.objectContaining({ code: 'CONFLICT' });
    for (const condition of [{ ifAbsent: true }, { ifMatch: [] }, { ifMatch: ['"x"', `W/${tag}`] }])
      await expect(operations.put('a', { n: 2 }, condition)).rejects.toEqual(refused);
    await expect(operations.del('a', { ifMatch: ['"x"'] })).rejects.toEqual(refused);
    expect(written).toEqual([]);
    await operations.put('a', { n: 2 }, { ifMatch: [tag] });
    await operations.put('a', { n: 3 }, { ifMatch: ['*'] });
    await operations.put('a', { n: 4 });
    await operations.del('a', { ifMatch: [tag] });
    expect(written).toEqual([
      { n: 2, _id: 'a' },
      { n: 3, _id: 'a' },
      { n: 4, _id: 'a' },
      { _id: 'a', _deleted: true },
    ]);
  });

  test('returns the tag of the document that it wrote, even if another writer replaces it at once', async () => {
    const theirs = { _id: 'a', n: 2 };
    const operations = on({
      put: (async () => ({ id: 'a' })) as never,
      update: (async (_id: string, change: (doc: object) => unknown) => change(theirs)) as never,
      get: (async () => theirs) as never,
    });
    const ours = await operations.put('a', { n: 1 });
    expect(ours.tag).not.toBe((await operations.get('a')).tag);
    const next = operations.put('a', { n: 3 }, { ifMatch: [ours.tag] });
    await expect(next).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('passes on the bytes of documents, filters and counts', async () => {
    const seen: unknown[] = [];
    const operations = on({
      put: (async (doc: object) => ({ id: String(seen.push(doc)) })) as never,
      find: (async (options: object) => ({ docs: [], seen: seen.push(options) })) as never,
      count: async (where) => seen.push(where),
    });
    const json = { photo: { '/': { bytes: 'AQ' } } };
    const stored = { photo: Uint8Array.of(1) };
    await operations.create(json);
    await operations.find({ where: json, limit: 3 });
    expect(await operations.count({ where: json })).toBe('{"count":3}');
    expect(seen).toEqual([stored, { where: stored, limit: 3 }, stored]);
  });

  test.each([null, [], 'text', { _deleted: true }, { _id: 5 }])('rejects %j as a document', async (doc) => {
    await expect(on({}).create(doc)).rejects.toMatchObject({ code: 'REQUEST_INVALID' });
  });
});
