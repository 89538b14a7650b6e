/** Conflicts of a database in which an event or a version can't be read. */
import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import type { Core } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { insideOf } from '../src/database/inside.ts';
import { eventsIndexOf } from '../src/database/past/history.ts';
import { liveConflicts } from '../src/live/live-docs.ts';
import { inPage } from './in-page.fixture.ts';
import { haveSameHead, type Replica, world } from './sync-world.fixture.ts';

const KEEP = { keepConflicts: true };
const CODES = ['MISSING_BLOCK', 'MISSING_CARS', 'CORRUPT', 'KEY_UNKNOWN'] as const;

const coreOf = async (db: Database) => (await insideOf(db)?.open()) as Core;

/** Returns two synced replicas, and functions that write apart and sync. */
async function pair() {
  const here = world({ commitEachWrite: true });
  const [a, b] = [here.replica(), here.replica()];
  await Promise.all([a.attach(), b.attach()]);
  const meet = async () => {
    for (const { line } of [a, b]) line.set('up');
    await here.time.until(() => haveSameHead([a, b]));
  };
  const part = () => {
    for (const { line } of [a, b]) line.set('cut');
  };
  return { a, b, meet, part };
}

/** Returns the event that wrote a document, by the text that it wrote. */
async function eventOf({ db }: Replica, id: string, text: string): Promise<Cid> {
  const versions = await db.history<{ text: string }>(id);
  return versions.find(({ value }) => value?.text === text)?.event as Cid;
}

/** Makes blocks unreadable, as in a database that was opened again after the damage. */
async function damage(replica: Replica, code: (typeof CODES)[number], ...cids: readonly Cid[]) {
  const opened = await replica.reopen();
  const { readers } = (await coreOf(opened.db)).commits;
  const { event, block } = readers;
  const broken = new Set(cids);
  const unlessBroken =
    <T>(read: (cid: Cid) => Promise<T>) =>
    async (cid: Cid) => {
      if (broken.has(cid)) throw new FixpointError(code);
      return read(cid);
    };
  vi.spyOn(readers, 'event').mockImplementation(unlessBroken(event));
  vi.spyOn(readers, 'block').mockImplementation(unlessBroken(block));
  return { db: opened.db, repair: () => broken.clear() };
}

/**
 * Returns a replica with a conflict of `note`, and `old`, which was last written in an event that
 * can't be read. That event precedes both versions of `note`.
 */
async function withOldDamage(code: (typeof CODES)[number]) {
  const { a, b, meet, part } = await pair();
  await a.db.bulk([{ _id: 'note', text: 'first' }, { _id: 'old', text: 'first' }, { _id: 'other' }]);
  await a.db.put({ _id: 'other', text: 'second' });
  await meet();
  const first = await eventOf(a, 'old', 'first');
  part();
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  await meet();
  return damage(a, code, first);
}

const textsOf = (found: Awaited<ReturnType<Database['conflicts']>> | undefined) => {
  const { winner, losers } = found as never as Record<'winner', { value?: { text: string } }> & {
    losers: { value?: { text: string } }[];
  };
  return [winner, ...losers].map(({ value }) => value?.text).sort();
};

describe.each(CODES)('with an old event that can’t be read (%s)', (code) => {
  test('finds the conflicts of documents that later events wrote', async () => {
    const { db } = await withOldDamage(code);
    expect(textsOf(await db.conflicts('note'))).toEqual(['of a', 'of b']);
    expect(await db.conflicts('other')).toBeUndefined();
    const [found, ...more] = await db.conflicts(['note', 'other']);
    expect([found?.id, found?.events.length, more]).toEqual(['note', 2, []]);
  });

  test('says of which documents the conflicts aren’t known', async () => {
    const { db } = await withOldDamage(code);
    await expect(db.conflicts('old')).rejects.toMatchObject({ code });
    expect(await db.conflicts(['other', 'old'])).toEqual([{ id: 'old', events: [] }]);
  });

  test('lists the known conflicts, and the event that can’t be read', async () => {
    const { db } = await withOldDamage(code);
    await expect(db.conflicts()).rejects.toMatchObject({ code });
    const { conflicts, unread } = await inPage(db).conflicts({ partial: true });
    expect([conflicts.map(({ id }) => id), unread.length]).toEqual([['note'], 1]);
    const told: unknown[] = [];
    const stop = db.onConflicts((list, events) => told.push([list.map(({ id }) => id), events]));
    await vi.waitFor(() => expect(told).toEqual([[['note'], unread]]));
    stop();
  });

  test('leaves a known conflict as it is, and writes the other documents', async () => {
    const { db } = await withOldDamage(code);
    const docs = ['note', 'old', 'other', 'new'].map((_id) => ({ _id, text: 'blind' }));
    expect(await db.bulk(docs, KEEP)).toEqual({ ids: ['old', 'other', 'new'], kept: ['note'] });
    expect(await db.bulk([], { ...KEEP, del: ['note'] })).toEqual({ ids: [], kept: ['note'] });
    expect(textsOf(await db.conflicts('note'))).toEqual(['of a', 'of b']);
    // Later writes replace whatever the old event wrote.
    expect(await db.conflicts(['old', 'other', 'new'])).toEqual([]);
  });
});

test('lists all conflicts once the event can be read again', async () => {
  const { db, repair } = await withOldDamage('MISSING_BLOCK');
  expect((await db.conflicts({ partial: true })).unread).toHaveLength(1);
  const told: (readonly string[])[] = [];
  db.onConflicts((_, unread) => told.push(unread));
  await vi.waitFor(() => expect(told).toHaveLength(1));
  repair();
  expect(await db.conflicts('old')).toBeUndefined();
  expect((await db.conflicts()).map(({ id }) => id)).toEqual(['note']);
  expect((await db.conflicts({ partial: true })).unread).toEqual([]);
  await db.put({ _id: 'more' });
  await vi.waitFor(() => expect(told.map((unread) => unread.length)).toEqual([1, 0]));
});

test('never says that there is no conflict if one of two versions was written by a damaged event', async () => {
  const { a, b, meet, part } = await pair();
  await a.db.bulk([
    { _id: 'note', text: 'first' },
    { _id: 'other', text: 'first' },
  ]);
  await meet();
  part();
  await a.db.put({ _id: 'note', text: 'of a' });
  await a.db.put({ _id: 'other', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  await meet();
  await a.db.put({ _id: 'later' });
  await meet();
  const events = [await eventOf(a, 'note', 'of a'), await eventOf(a, 'note', 'of b')];
  for (const event of events) {
    const { db } = await damage(a, 'CORRUPT', event);
    await expect(db.conflicts('note')).rejects.toMatchObject({ code: 'CORRUPT' });
    expect(await db.conflicts(['note'])).toEqual([{ id: 'note', events: [] }]);
    expect((await db.conflicts({ partial: true })).unread).toEqual([event]);
  }
});

test('finds a conflict although the index of events starts over during the search', async () => {
  const { a, b, meet, part } = await pair();
  await a.db.put({ _id: 'note', text: 'first' });
  await meet();
  part();
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  await meet();
  const { db, repair } = await damage(a, 'MISSING_BLOCK', await eventOf(a, 'note', 'of a'));
  const core = await coreOf(db);
  const { time } = core.platform;
  const index = eventsIndexOf(core);
  const { writesOf } = index;
  const steps: string[] = [];
  vi.spyOn(index, 'writesOf').mockImplementation((key) => {
    steps.push('search');
    return writesOf.call(index, key);
  });
  // The search yields at each step. The first time, another search makes the index start over.
  let now = 0;
  vi.spyOn(time, 'now').mockImplementation(() => (now += 20));
  const turn = async () => {
    if (steps.at(-1) !== 'search' || steps.includes('restart')) return;
    steps.push('restart');
    repair();
    const { restarts } = index;
    void db.history('note');
    while (index.restarts === restarts) await Promise.resolve();
  };
  Object.assign(time, { turn });
  expect(textsOf(await db.conflicts('note'))).toEqual(['of a', 'of b']);
  expect(steps).toContain('restart');
});

test('lists versions one of which a damaged event may have replaced, and says which event', async () => {
  const { a, b, meet, part } = await pair();
  await a.db.bulk([
    { _id: 'note', text: 'first' },
    { _id: 'lost', text: 'first' },
  ]);
  await meet();
  part();
  await a.db.put({ _id: 'lost', text: 'of a' });
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'other' });
  await meet();
  await a.db.put({ _id: 'later' });
  expect(await a.db.conflicts()).toEqual([]);
  const event = await eventOf(a, 'lost', 'of a');
  const { db, repair } = await damage(a, 'CORRUPT', event);
  const found = await db.conflicts('note');
  expect([textsOf(found), found?.unread]).toEqual([['first', 'of a'], [event]]);
  expect((await db.bulk([{ _id: 'note', text: 'blind' }], KEEP)).kept).toEqual(['note']);
  repair();
  expect(await db.conflicts('note')).toBeUndefined();
});

test('shows a conflict of two versions beside an event that may have written a third one', async () => {
  const here = world({ commitEachWrite: true });
  const all = [here.replica(), here.replica(), here.replica()] as const;
  const [a, b, c] = all;
  await Promise.all(all.map((one) => one.attach()));
  await a.db.put({ _id: 'note', text: 'first' });
  await here.time.until(() => haveSameHead(all));
  for (const { line } of all) line.set('cut');
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  await c.db.put({ _id: 'unrelated', text: 'of c' });
  for (const { line } of all) line.set('up');
  await here.time.until(() => haveSameHead(all));
  await a.db.put({ _id: 'later' });
  const event = await eventOf(a, 'unrelated', 'of c');
  const { db } = await damage(a, 'MISSING_BLOCK', event);
  const found = await db.conflicts('note');
  expect([textsOf(found), found?.unread]).toEqual([['of a', 'of b'], [event]]);
  expect((await db.bulk([{ _id: 'note', text: 'blind' }], KEEP)).kept).toEqual(['note']);
  await db.put({ _id: 'note', text: 'merged' });
  expect(await db.conflicts('note')).toBeUndefined();
});

describe.each(CODES)('with a version that can’t be read (%s)', (code) => {
  async function withLostVersion() {
    const { a, b, meet, part } = await pair();
    await a.db.put({ _id: 'note', text: 'first' });
    await a.db.put({ _id: 'other', text: 'first' });
    await meet();
    part();
    for (const _id of ['note', 'other']) {
      await a.db.put({ _id, text: 'of a' });
      await b.db.put({ _id, text: 'of b' });
    }
    await meet();
    const { losers } = (await a.db.conflicts('note')) ?? {};
    const lost = await coreOf(a.db).then(({ commits }) => commits.readers.event(losers?.[0]?.event as Cid));
    return damage(a, code, lost.operations[0]?.value as Cid);
  }

  test('lists the conflict, marks the version, and lists all others whole', async () => {
    const { db } = await withLostVersion();
    const found = await db.conflicts('note');
    expect(found?.winner.value).toBeDefined();
    expect(found?.losers.map(({ value, isUnreadable }) => [value, isUnreadable])).toEqual([
      [undefined, true],
    ]);
    const listed = await inPage(db).conflicts();
    expect(listed.map(({ id }) => id)).toEqual(['note', 'other']);
    expect(textsOf(listed[1] as never)).toEqual(['of a', 'of b']);
    expect(await db.conflicts(['note', 'other'])).toMatchObject([{ events: [] }, { events: { length: 2 } }]);
  });

  test('writes the document, which nobody can merge, and keeps the other conflict', async () => {
    const { db } = await withLostVersion();
    const docs = [
      { _id: 'note', text: 'new' },
      { _id: 'other', text: 'blind' },
    ];
    expect(await inPage(db).bulk(docs, KEEP)).toEqual({ ids: ['note'], kept: ['other'] });
    expect(await db.get('note')).toEqual({ _id: 'note', text: 'new' });
    expect(textsOf(await db.conflicts('other'))).toEqual(['of a', 'of b']);
  });
});

test('counts a dropped version as one that can be decided only if all others can be read', async () => {
  const { a, b, meet, part } = await pair();
  await a.db.put({ _id: 'note', text: 'first' });
  await meet();
  part();
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  await meet();
  const { winner, losers } = (await a.db.conflicts('note')) ?? {};
  const { commits } = await coreOf(a.db);
  const linkOf = async (event: string | undefined) =>
    (await commits.readers.event(event as Cid)).operations[0]?.value as Cid;
  const [shown, lost] = [await linkOf(winner?.event), await linkOf(losers?.[0]?.event)];
  vi.spyOn(commits, 'hasDropped').mockReturnValue(true);
  const { block } = commits.readers;
  const failing = (broken: ReadonlyMap<Cid, 'MISSING_BLOCK' | 'CORRUPT'>) =>
    vi.spyOn(commits.readers, 'block').mockImplementation(async (cid) => {
      const code = broken.get(cid);
      if (code !== undefined) throw new FixpointError(code);
      return block(cid);
    });
  failing(new Map([[shown, 'MISSING_BLOCK']]));
  expect(await a.db.conflicts(['note'])).toMatchObject([{ events: { length: 2 } }]);
  // The dropped version comes first, and the damaged one after it.
  failing(
    new Map([
      [shown, 'MISSING_BLOCK'],
      [lost, 'CORRUPT'],
    ]),
  );
  expect(await a.db.conflicts(['note'])).toEqual([{ id: 'note', events: [] }]);
  expect((await a.db.bulk([{ _id: 'note', text: 'new' }], KEEP)).kept).toEqual([]);
});

test('cancels a search for conflicts, and rejects options that would hide some', async () => {
  const { db } = await withOldDamage('CORRUPT');
  const reason = new Error('left the page');
  const signal = AbortSignal.abort(reason);
  await expect(db.conflicts(['note'], { signal })).rejects.toBe(reason);
  await expect(db.conflicts({ partial: true, signal })).rejects.toBe(reason);
  expect(await db.conflicts(['note'])).toHaveLength(1);
  await expect(db.conflicts({ partial: false } as never)).rejects.toMatchObject({ code: 'QUERY_INVALID' });
  await expect(db.conflicts(['note'], 1 as never)).rejects.toMatchObject({ code: 'QUERY_INVALID' });
});

test('yields between the documents of a long search, and between the conflicts of a long list', async () => {
  const { a, b, meet, part } = await pair();
  const ids = Array.from({ length: 40 }, (_, n) => `doc ${n}`);
  await meet();
  part();
  for (const { db } of [a, b]) await db.bulk(ids.map((_id) => ({ _id, by: db === a.db ? 'a' : 'b' })));
  await meet();
  await a.db.conflicts();
  const { commits, platform } = await coreOf(a.db);
  const { now } = platform.time;
  let readsMs = 0;
  vi.spyOn(platform.time, 'now').mockImplementation(() => now() + readsMs);
  const { block } = commits.readers;
  // Each version takes longer to read than a slice of work.
  vi.spyOn(commits.readers, 'block').mockImplementation(async (cid) => {
    readsMs += 20;
    return block(cid);
  });
  const turns = vi.fn(platform.time.turn ?? (() => Promise.resolve()));
  Object.assign(platform.time, { turn: turns });
  for (const search of [() => a.db.conflicts(ids), () => a.db.conflicts()]) {
    turns.mockClear();
    expect(await search()).toHaveLength(40);
    expect(turns.mock.calls.length).toBeGreaterThanOrEqual(39);
  }
});

test('shows the known conflicts live, and which events can’t be read', async () => {
  const { db, repair } = await withOldDamage('CORRUPT');
  const store = liveConflicts(db);
  const stop = store.subscribe(() => undefined);
  await vi.waitFor(() => expect(store.current().hydrated).toBe(true));
  const { conflicts, unread, error } = store.current();
  expect([conflicts.map(({ id }) => id), unread.length, error]).toEqual([['note'], 1, undefined]);
  repair();
  await db.put({ _id: 'more' });
  await vi.waitFor(() => expect(store.current().unread).toEqual([]));
  // The conflict is the same object, so that its row needn't render again.
  expect(store.current().conflicts).toBe(conflicts);
  stop();
});

test.each(['KEY_UNKNOWN', 'MISSING_CARS'] as const)(
  'keeps a conflict of two readable versions beside a third one (%s)',
  async (code) => {
    const here = world({ commitEachWrite: true });
    const all = [here.replica(), here.replica(), here.replica()] as const;
    const [a, b, c] = all;
    await Promise.all(all.map((one) => one.attach()));
    await a.db.put({ _id: 'note', text: 'first' });
    await here.time.until(() => haveSameHead(all));
    for (const { line } of all) line.set('cut');
    for (const [n, { db }] of [
      [1, a],
      [2, b],
      [3, c],
    ] as const)
      await db.put({ _id: 'note', text: `of ${n}` });
    for (const { line } of all) line.set('up');
    await here.time.until(() => haveSameHead(all));
    const core = await coreOf(a.db);
    const { losers } = (await a.db.conflicts('note')) ?? {};
    const event = await core.commits.readers.event(losers?.[0]?.event as Cid);
    const lost = event.operations[0]?.value;
    const { block } = core.commits.readers;
    const spy = vi.spyOn(core.commits.readers, 'block').mockImplementation(async (cid) => {
      if (cid === lost) throw new FixpointError(code);
      return block(cid);
    });
    expect(await a.db.conflicts(['note'])).toMatchObject([{ events: { length: 3 } }]);
    const done = await a.db.bulk([{ _id: 'note', text: 'pasted' }], { keepConflicts: true });
    expect(done.kept).toEqual(['note']);
    spy.mockRestore();
    expect((await a.db.conflicts('note'))?.losers.length).toBe(2);
  },
);
