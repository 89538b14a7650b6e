/** `bulk` with `keepConflicts`: writes that never end a conflict which their maker hasn't seen. */
import { FixpointError } from '@fixpoint/protocol';
import { type } from 'arktype';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Head } from '../src/clock/event.ts';
import { areDeletions, type Operation } from '../src/commit/write-queue.ts';
import type { Core } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { insideOf } from '../src/database/inside.ts';
import { eventsIndexOf } from '../src/database/past/history.ts';
import { writeUnlessConflict } from '../src/database/transact.ts';
import { parseDocKey } from '../src/documents/doc-key.ts';
import { encodeDocument, TOMBSTONE } from '../src/documents/encode.ts';
import { collection } from '../src/entries/node.ts';
import { fakeCloud, memoryDatabase } from '../src/testing/fake-cloud.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { inPage } from './in-page.fixture.ts';
import { haveSameHead, type Replica, world } from './sync-world.fixture.ts';

type World = ReturnType<typeof world>;

const KEEP = { keepConflicts: true };

async function inSync({ time }: World, replicas: readonly Replica[]) {
  for (const { line } of replicas) line.set('up');
  await time.until(() => haveSameHead(replicas));
}

const cut = (replicas: readonly Replica[]) => {
  for (const { line } of replicas) line.set('cut');
};

/** Returns two synced replicas with the documents note and other, which are written apart next. */
async function apart() {
  const here = world({ commitEachWrite: true });
  const [a, b] = [here.replica(), here.replica()];
  await Promise.all([a.attach(), b.attach()]);
  await a.db.bulk([
    { _id: 'note', text: 'first' },
    { _id: 'other', text: 'first' },
  ]);
  await inSync(here, [a, b]);
  cut([a, b]);
  return { here, a, b };
}

/** Returns two synced replicas with a conflict of the document note. */
async function conflict() {
  const { here, a, b } = await apart();
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  await inSync(here, [a, b]);
  return { here, a, b };
}

const textsIn = async (db: Database) => {
  const found = await db.conflicts<{ text: string }>('note');
  return found && [found.winner, ...found.losers].map(({ value }) => value?.text).sort();
};

describe.each([
  ['a database', (db: Database) => db],
  ['the page of an engine in a worker', inPage],
])('a bulk write of %s that keeps conflicts', (_place, use) => {
  test('leaves a document in conflict as it is, and writes the others', async () => {
    const { a } = await conflict();
    const before = await a.db.conflicts('note');
    const docs = [
      { _id: 'note', text: 'blind' },
      { _id: 'other', text: 'new' },
    ];
    expect(await use(a.db).bulk(docs, KEEP)).toEqual({ ids: ['other'], kept: ['note'] });
    expect(await a.db.conflicts('note')).toEqual(before);
    expect(await a.db.get('other')).toEqual({ _id: 'other', text: 'new' });
  });

  test('deletes only documents without a conflict', async () => {
    const { a } = await conflict();
    const gone = await use(a.db).bulk([], { ...KEEP, del: ['other', 'note', 'unknown'] });
    expect(gone).toEqual({ ids: ['other', 'unknown'], kept: ['note'] });
    expect(await textsIn(a.db)).toEqual(['of a', 'of b']);
    await expect(a.db.get('other')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('doesn’t bring back a document whose deletion won over a change', async () => {
    const { here, a, b } = await apart();
    await a.db.put({ _id: 'note', text: 'of a' });
    // The write nearest to the head wins, so the deletion does.
    await a.db.put({ _id: 'later' });
    await b.db.del('note');
    await inSync(here, [a, b]);
    await expect(a.db.get('note')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const { winner, losers } = (await a.db.conflicts('note')) ?? {};
    expect([winner?.value, losers?.map(({ value }) => value)]).toEqual([
      undefined,
      [{ _id: 'note', text: 'of a' }],
    ]);
    expect((await use(a.db).bulk([{ _id: 'note', text: 'blind' }], KEEP)).kept).toEqual(['note']);
    await expect(a.db.get('note')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

test('writes all documents of a database without conflicts, the last of equal ids', async () => {
  const { db } = world().replica();
  void db.put({ _id: 'a', n: 0 });
  const docs = [{ _id: 'a', n: 1 }, { _id: 'b' }, { _id: 'a', n: 2 }];
  expect(await db.bulk(docs, KEEP)).toEqual({ ids: ['a', 'b', 'a'], kept: [] });
  expect(await db.bulk([], KEEP)).toEqual({ ids: [], kept: [] });
  expect(await db.get('a')).toEqual({ _id: 'a', n: 2 });
});

test.each([null, 'false', 0, 1, {}])(
  'rejects %j as keepConflicts, and writes nothing',
  async (keepConflicts) => {
    const { db } = world().replica();
    for (const database of [db, inPage(db)]) {
      const written = database.bulk([{ _id: 'a' }], { keepConflicts } as never);
      await expect(written).rejects.toMatchObject({ code: 'QUERY_INVALID' });
    }
    await expect(db.get('a')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await db.bulk([{ _id: 'a' }], { keepConflicts: undefined });
  },
);

test('writes in the order of the calls, though a search comes first', async () => {
  const { db } = world().replica();
  await db.put({ _id: 'a', n: 0 });
  const written = [
    db.put({ _id: 'a', n: 1 }),
    db.bulk(
      [
        { _id: 'a', n: 2 },
        { _id: 'b', n: 2 },
      ],
      KEEP,
    ),
    db.put({ _id: 'a', n: 3 }),
    db.bulk([{ _id: 'a', n: 4 }], KEEP),
    db.bulk([{ _id: 'b', n: 5 }]),
    db.update('a', (doc) => ({ ...doc, isUpdated: true })),
  ];
  await Promise.all(written);
  expect(await db.get('a')).toEqual({ _id: 'a', n: 4, isUpdated: true });
  expect(await db.get('b')).toEqual({ _id: 'b', n: 5 });
});

/** Calls `writeUnlessConflict` with another way to commit. */
async function writeWith(
  db: Database,
  write: (core: Core) => Core['commits']['write'],
  operation: Operation,
) {
  const core = (await insideOf(db)?.open()) as Core;
  const commits = Object.assign(Object.create(core.commits) as Core['commits'], { write: write(core) });
  return writeUnlessConflict({ ...core, commits }, [operation]);
}

const NOTE = parseDocKey('note');

test('[R9] keeps a conflict that begins just before the commit', async () => {
  const { here, a, b } = await apart();
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  const late =
    ({ commits }: Core): Core['commits']['write'] =>
    async (operations) => {
      await inSync(here, [a, b]);
      return commits.write(operations);
    };
  const operation = { key: NOTE, value: encodeDocument({ _id: 'note', text: 'blind' }, NOTE) };
  expect(await writeWith(a.db, late, operation)).toEqual({ ids: [], kept: ['note'] });
  expect(await textsIn(a.db)).toEqual(['of a', 'of b']);
});

const onFullDisk =
  ({ commits }: Core): Core['commits']['write'] =>
  async (operations) => {
    if (typeof operations === 'function' || !areDeletions(operations)) throw new FixpointError('STORE_FULL');
    return commits.write(operations);
  };

test('deletes on a full disk with the space that is reserved for deletions', async () => {
  const deletion = { key: NOTE, value: TOMBSTONE };
  const put = { key: NOTE, value: encodeDocument({ _id: 'note' }, NOTE) };
  const alone = await apart();
  expect(await writeWith(alone.a.db, onFullDisk, deletion)).toEqual({ ids: ['note'], kept: [] });
  await expect(alone.a.db.get('note')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(writeWith(alone.a.db, onFullDisk, put)).rejects.toMatchObject({ code: 'STORE_FULL' });
  const { a } = await conflict();
  expect(await writeWith(a.db, onFullDisk, deletion)).toEqual({ ids: [], kept: ['note'] });
  expect(await textsIn(a.db)).toEqual(['of a', 'of b']);
});

const coreOf = async (db: Database) => (await insideOf(db)?.open()) as Core;

test('asks for the conflicts of a document without reading the history again', async () => {
  const { here, a, b } = await apart();
  await a.db.put({ _id: 'note', text: 'second' });
  await b.db.put({ _id: 'other', text: 'second' });
  await inSync(here, [a, b]);
  for (let n = 0; n < 50; n++) await a.db.put({ _id: `later ${n}` });
  await a.db.conflicts();
  const core = await coreOf(a.db);
  const reads = vi.spyOn(core.commits.readers, 'event');
  expect(await a.db.conflicts('note')).toBeUndefined();
  expect((await a.db.bulk([{ _id: 'note', text: 'third' }], KEEP)).kept).toEqual([]);
  expect(reads.mock.calls.length).toBeLessThan(5);
});

test('checks a batch with many conflicts without a walk of the events for each', async () => {
  const { here, a, b } = await apart();
  const ids = Array.from({ length: 30 }, (_, n) => `doc ${n}`);
  for (const { db } of [a, b]) for (const _id of ids) await db.put({ _id, by: db === a.db ? 'a' : 'b' });
  await inSync(here, [a, b]);
  for (let n = 0; n < 50; n++) await a.db.put({ _id: `later ${n}` });
  await a.db.conflicts();
  const reads = vi.spyOn((await coreOf(a.db)).commits.readers, 'event');
  const docs = [...ids, 'new'].map((_id) => ({ _id, by: 'import' }));
  expect(await a.db.bulk(docs, KEEP)).toEqual({ ids: ['new'], kept: ids });
  // Each conflict has two events. A walk reads the 50 later ones, too.
  expect(reads.mock.calls.length).toBeLessThan(3 * ids.length);
});

describe.each([
  ['a database', (db: Database) => db],
  ['the page of an engine in a worker', inPage],
])('conflicts with ids, of %s', (_place, use) => {
  test('returns those of the documents with a conflict, with the events of the versions', async () => {
    const { a } = await conflict();
    const { winner, losers } = (await a.db.conflicts('note')) ?? {};
    const events = [winner, ...(losers ?? [])].map((one) => one?.event);
    const found = [{ id: 'note', events }];
    expect(await use(a.db).conflicts(['other', 'note', 'unknown', 'note'])).toEqual(found);
    expect(await use(a.db).conflicts(['other'])).toEqual([]);
    expect(await use(a.db).conflicts([])).toEqual([]);
    await a.db.put({ _id: 'note', text: 'merged' });
    expect(await use(a.db).conflicts(['note'])).toEqual([]);
    await expect(use(a.db).conflicts([''])).rejects.toMatchObject({ code: 'DOC_ID_REQUIRED' });
  });
});

test('reads no version of documents whose conflicts nobody asked for', async () => {
  const { a } = await conflict();
  const reads = vi.spyOn((await coreOf(a.db)).commits.readers, 'block');
  expect(await a.db.conflicts(['other'])).toEqual([]);
  expect(reads).not.toHaveBeenCalled();
  // The versions of the conflict that was asked for.
  await a.db.conflicts(['other', 'note']);
  expect(reads).toHaveBeenCalledTimes(2);
});

test('finds a conflict although the head moves back, and the index starts over, during the search', async () => {
  const { a } = await conflict();
  const before = (await a.db.head()) as Head;
  await a.db.put({ _id: 'removed' });
  expect(await a.db.conflicts(['removed'])).toEqual([]);
  const { commits } = await coreOf(a.db);
  const index = eventsIndexOf(await coreOf(a.db));
  const follow = index.follow.bind(index);
  vi.spyOn(index, 'follow').mockImplementationOnce(async (...given) => {
    await follow(...given);
    const accept = async () => ({ head: before, rows: [], stored: () => undefined });
    await commits.mergeRemote({ head: [], archives: [], remember: [], accept } as never);
    const { restarts } = index;
    void a.db.history('note');
    while (index.restarts === restarts) await Promise.resolve();
  });
  expect((await a.db.conflicts(['note'])).map(({ events }) => events.length)).toEqual([2]);
});

test('searches again if another tab moved the head and dropped a block', async () => {
  const { a } = await conflict();
  const other = a.tab();
  const { readers } = (await coreOf(a.db)).commits;
  vi.spyOn(readers, 'block').mockImplementationOnce(async () => {
    await other.db.put({ _id: 'other', text: 'later' });
    throw new FixpointError('MISSING_BLOCK');
  });
  expect((await a.db.conflicts(['note'])).map(({ events }) => events.length)).toEqual([2]);
});

test.each(['MISSING_BLOCK', 'MISSING_CARS', 'CORRUPT', 'KEY_UNKNOWN'] as const)(
  'lists a document without events if a version can’t be read (%s)',
  async (code) => {
    const { a } = await conflict();
    const { readers } = (await coreOf(a.db)).commits;
    const block = vi.spyOn(readers, 'block').mockRejectedValue(new FixpointError(code));
    expect(await a.db.conflicts(['other', 'note'])).toEqual([{ id: 'note', events: [] }]);
    block.mockRestore();
    expect(await a.db.conflicts(['note'])).toMatchObject([{ events: { length: 2 } }]);
  },
);

test.each(['STORE_FAILED', 'STORE_FULL'] as const)(
  'writes nothing and ends no conflict if the store fails while conflicts are looked for (%s)',
  async (code) => {
    const { a } = await conflict();
    const { commits } = await coreOf(a.db);
    const failing = [
      vi.spyOn(commits.readers, 'event').mockRejectedValue(new FixpointError(code)),
      vi.spyOn(commits, 'settle').mockRejectedValue(new FixpointError(code)),
    ];
    await expect(a.db.conflicts(['note'])).rejects.toMatchObject({ code });
    await expect(a.db.bulk([{ _id: 'note', text: 'blind' }], KEEP)).rejects.toMatchObject({ code });
    await expect(a.db.bulk([], { ...KEEP, del: ['note'] })).rejects.toMatchObject({ code });
    for (const one of failing) one.mockRestore();
    expect(await textsIn(a.db)).toEqual(['of a', 'of b']);
    // The database isn't read-only afterwards.
    expect((await a.db.bulk([{ _id: 'other', text: 'new' }], KEEP)).ids).toEqual(['other']);
  },
);

test('notices on a full disk a version that another tab stored before the check', async () => {
  const { here, a, b } = await apart();
  await a.db.put({ _id: 'note', text: 'of a' });
  await b.db.put({ _id: 'note', text: 'of b' });
  const { commits } = await coreOf(a.db);
  const { refresh } = commits;
  vi.spyOn(commits, 'refresh').mockImplementation(async () => {
    await inSync(here, [a, b]);
    return refresh();
  });
  expect(await writeWith(a.db, onFullDisk, { key: NOTE, value: TOMBSTONE })).toEqual({
    ids: [],
    kept: ['note'],
  });
  expect(await textsIn(a.db)).toEqual(['of a', 'of b']);
});

test('deletes on a full disk that also prevents the commit of earlier writes', async () => {
  const { a } = await apart();
  const { commits } = await coreOf(a.db);
  const refresh = vi.spyOn(commits, 'refresh').mockRejectedValue(new FixpointError('STORE_FULL'));
  const deletion = { key: NOTE, value: TOMBSTONE };
  expect(await writeWith(a.db, onFullDisk, deletion)).toEqual({ ids: ['note'], kept: [] });
  refresh.mockRejectedValue(new FixpointError('STORE_FAILED'));
  await expect(writeWith(a.db, onFullDisk, deletion)).rejects.toMatchObject({ code: 'STORE_FAILED' });
});

/** Makes the first event of a database unreadable. Returns the reads of events since then. */
async function withoutFirstEvent(
  db: Database,
  code: 'MISSING_BLOCK' | 'MISSING_CARS' | 'CORRUPT' | 'KEY_UNKNOWN',
) {
  const { commits } = await coreOf(db);
  const { readers } = commits;
  let [first] = commits.snapshot().head;
  for (let parent = first; parent !== undefined; [parent] = (await readers.event(parent)).parents)
    first = parent;
  const read = readers.event;
  return vi.spyOn(readers, 'event').mockImplementation(async (cid) => {
    if (cid === first) throw new FixpointError(code);
    return read(cid);
  });
}

test.each(['MISSING_BLOCK', 'MISSING_CARS', 'CORRUPT', 'KEY_UNKNOWN'] as const)(
  'writes although an old event can’t be read (%s)',
  async (code) => {
    const { a } = await apart();
    await withoutFirstEvent(a.db, code);
    const written = a.db.bulk([{ _id: 'note', text: 'new' }], KEEP);
    expect(await written).toEqual({ ids: ['note'], kept: [] });
  },
);

test('doesn’t read the history again for each write beside an old event that can’t be read', async () => {
  const { a } = await apart();
  for (let n = 0; n < 50; n++) await a.db.put({ _id: `later ${n}` });
  const reads = await withoutFirstEvent(a.db, 'MISSING_BLOCK');
  await a.db.bulk([{ _id: 'note', text: 'second' }], KEEP);
  const first = reads.mock.calls.length;
  await a.db.bulk([{ _id: 'note', text: 'third' }], KEEP);
  // The walk reads each event twice.
  expect(first).toBeLessThan(120);
  // The damaged event and the one that names it, for each of two checks, and the new event.
  expect(reads.mock.calls.length - first).toBeLessThan(8);
});

test('ends a conflict with its current version, although an old event can’t be read', async () => {
  const { a } = await conflict();
  const reads = await withoutFirstEvent(a.db, 'MISSING_BLOCK');
  await a.db.transact(async ({ get, put }) => put(await get('note')));
  reads.mockRestore();
  expect(await a.db.conflicts('note')).toBeUndefined();
});

test('ends the conflict with an update that changes the document, so such writes need a check', async () => {
  const { a } = await conflict();
  await inPage(a.db).update('note', (doc) => ({ ...doc, text: 'of update' }));
  expect(await a.db.conflicts('note')).toBeUndefined();
});

test('keeps conflicts in a collection, whose ids it returns', async () => {
  const cloud = fakeCloud();
  const notes = collection('notes', { schema: type({ text: 'string' }) });
  const [one, other] = [memoryDatabase({ collections: { notes } }), memoryDatabase()];
  onTestFinished(async () => void (await Promise.all([one.destroy(), other.destroy()])));
  await one.notes.put({ _id: 'a', text: 'of one' });
  await other.put({ _id: 'notes/a', text: 'of other' });
  for (const database of [one, other, one]) {
    const attached = await database.attach(cloud.remote());
    await attached.synced();
    await attached.detach();
  }
  const docs = [
    { _id: 'a', text: 'blind' },
    { _id: 'b', text: 'new' },
  ];
  expect(await one.notes.bulk(docs, { ...KEEP, del: ['a'] })).toEqual({ ids: ['b'], kept: ['a'] });
  expect(await one.conflicts('notes/a')).toBeDefined();
  expect(await one.notes.bulk([], { del: ['a'] })).toEqual({ ids: ['a'] });
  expect(await one.conflicts('notes/a')).toBeUndefined();
});

test('[P2] ends no conflict, whatever replicas write, and commits nothing more once they are in sync', async () => {
  let kept = 0;
  for (let seed = 1; seed <= 10; seed++) {
    const here = world({ seed, commitEachWrite: true });
    const chance = seededRandom(seed);
    const replicas = [here.replica(), here.replica()];
    await Promise.all(replicas.map((replica) => replica.attach()));
    for (let step = 0; step < 40; step++) {
      const { db, line } = replicas[chance.below(2)] as Replica;
      const action = chance.below(6);
      if (action === 0) line.set(chance.below(2) === 0 ? 'up' : 'cut');
      else if (action === 1) await here.time.pass(chance.below(2000));
      else {
        const ids = ['x', 'y', 'z'].filter(() => chance.below(2) === 0);
        const open = (await db.conflicts()).map(({ id }) => id);
        const isDeletion = chance.below(4) === 0;
        const docs = isDeletion ? [] : ids.map((_id) => ({ _id, step }));
        const written = await db.bulk(docs, { ...KEEP, del: isDeletion ? ids : [] });
        kept += written.kept?.length ?? 0;
        for (const id of written.ids) expect(open).not.toContain(id);
        // No open conflict ended on this replica.
        expect((await db.conflicts()).map(({ id }) => id)).toEqual(expect.arrayContaining(open));
      }
    }
    await inSync(here, replicas);
    const [one, other] = replicas as [Replica, Replica];
    expect(await one.db.conflicts()).toEqual(await other.db.conflicts());
    const events = (await one.events()).size;
    await here.time.pass(600_000);
    for (const replica of replicas) expect((await replica.events()).size).toBe(events);
  }
  expect(kept).toBeGreaterThan(10);
});
