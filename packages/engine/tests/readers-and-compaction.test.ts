/**
 * Readers keep access to all data that they started to read, even while a compaction runs. Reading
 * data that was dropped earlier fails with HISTORY_COMPACTED.
 */
import { describe, expect, test } from 'vitest';
import { getDocument } from '../src/database/read.ts';
import { rowsOf } from '../src/entries/rows.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { openOn, operation } from './compaction-world.fixture.ts';
import { world } from './sync-world.fixture.ts';

const compacted = expect.objectContaining({ code: 'HISTORY_COMPACTED' }) as Error;

/**
 * Writes ten versions of a document, and compacts the database, which keeps only two commits.
 * Returns the database and the first head.
 */
async function worn(attached: boolean) {
  const here = world({ history: { commits: 2 }, commitEachWrite: true });
  const replica = here.replica();
  const { db } = replica;
  await db.put({ _id: 'a', n: 0 });
  const first = await db.head();
  if (attached) {
    const sync = await replica.attach();
    await here.time.until(() => sync.status().state === 'in-sync');
  }
  for (let n = 1; n < 10; n++) await db.put({ _id: 'a', n });
  await here.time.run(db.compact());
  // Reopening clears everything that the database has in memory.
  return { db: (await replica.reopen()).db, first };
}

describe.each([
  ['never attached', false],
  ['attached', true],
])('dropped history of a database that was %s', (_, attached) => {
  test('[R8] makes every call that needs it fail with HISTORY_COMPACTED', async () => {
    const { db, first } = await worn(attached);
    await expect(db.at(first).get('a')).rejects.toThrow(compacted);
    await expect(db.at(first).allDocs()).rejects.toThrow(compacted);
    await expect(db.at(first).query('n')).rejects.toThrow(compacted);
    await expect(db.diff(first, await db.head())).rejects.toThrow(compacted);
    await expect(db.restore('a', first)).rejects.toThrow(compacted);
    await expect(db.prove('a', first)).rejects.toThrow(compacted);
    expect((await db.get('a'))['n']).toBe(9);
  });

  test('is marked as dropped in the history of a document', async () => {
    const { db } = await worn(attached);
    const versions = await db.history('a');
    expect(versions.slice(0, 2).map(({ value }) => value?.['n'])).toEqual([9, 8]);
    expect(versions.length).toBe(attached ? 10 : 3);
    for (const { value, isDropped } of versions) expect(value === undefined).toBe(isDropped === true);
    expect(versions.some(({ isDropped }) => isDropped)).toBe(attached);
  });
});

test('marks the oldest kept version and commit as the horizon', async () => {
  const { db } = await worn(false);
  const [newest, , oldest, ...none] = await db.history('a');
  expect([newest?.isHorizon, oldest?.isHorizon, none]).toEqual([undefined, true, []]);
  expect(oldest?.value?.['n']).toBe(7);
  const events = await db.events();
  expect(events.map(({ isHorizon = false, isDropped = false }) => [isHorizon, isDropped])).toEqual([
    [false, false],
    [false, false],
    [true, false],
    [false, false],
  ]);
});

test('marks a commit as dropped only if its documents are dropped', async () => {
  const { db } = await worn(true);
  const events = await db.events();
  expect(events.map(({ isDropped = false }) => isDropped)).toEqual([
    ...[false, false],
    ...Array.from({ length: 8 }, () => true),
    // The documents of the first commit aren't dropped.
    false,
  ]);
  expect(events.some(({ isHorizon }) => isHorizon)).toBe(false);
});

test('[R8] distinguishes a head that was not received yet from a dropped head, if no event was ever dropped', async () => {
  const { db } = await worn(true);
  const other = world({ commitEachWrite: true }).replica();
  await other.db.put({ _id: 'b' });
  const head = await other.db.head();
  await expect(db.at(head).get('b')).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  await expect(db.prove('b', head)).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
  const { db: narrow } = await worn(false);
  await expect(narrow.at(head).get('b')).rejects.toThrow(compacted);
});

test('reports an unknown head as a missing block if nothing was dropped', async () => {
  const [one, other] = [
    world({ commitEachWrite: true }).replica(),
    world({ commitEachWrite: true }).replica(),
  ];
  await one.db.put({ _id: 'a' });
  await other.db.put({ _id: 'b' });
  const head = await other.db.head();
  await expect(one.db.at(head).get('b')).rejects.toMatchObject({ code: 'MISSING_BLOCK' });
});

test('[R8] returns all rows of a cursor from the state at its start, despite writes and compactions', async () => {
  const here = world({ history: { commits: 1 }, commitEachWrite: true });
  const first = here.replica();
  const docs = (text: string) => Array.from({ length: 30 }, (_, n) => ({ _id: `doc-${n}`, text }));
  await first.db.bulk(docs('old'));
  // Reopening clears everything that the database has in memory.
  const second = await first.reopen();
  const { db } = second;
  await db.ready();
  const before = await db.head();
  const cursor = rowsOf(db).scan({ batch: 5 })[Symbol.asyncIterator]();
  const seen = [...(((await cursor.next()).value as { text: string }[]) ?? [])];
  await db.bulk(docs('new'));
  for (let n = 0; n < 5; n++) await db.put({ _id: 'other', n });
  await here.time.run(db.compact());
  for (let step = await cursor.next(); !step.done; step = await cursor.next())
    seen.push(...(step.value as unknown as { text: string }[]));
  expect(seen.map(({ text }) => text)).toEqual(Array.from({ length: 30 }, () => 'old'));
  await db.put({ _id: 'other', n: 'last' });
  await here.time.run(db.compact());
  const { db: after } = await second.reopen();
  await expect(after.at(before).get('doc-1')).rejects.toThrow(compacted);
});

test('[R8] reads from the latest head in a tab that slept while another tab compacted', async () => {
  const values = new Map<string, Uint8Array>();
  const retention = { commits: 1, bytes: Number.POSITIVE_INFINITY };
  const writing = await openOn(memoryStore(values), retention);
  // The first commit is large, because a tab loads small commits into memory when it opens.
  const many = Array.from({ length: 300 }, (_, n) => operation(`first-${n}`, n));
  await writing.write([operation('a', 1), ...many]);
  await writing.write([operation('b', 1)]);
  const asleep = await openOn(memoryStore(values), retention);
  for (let n = 2; n < 9; n++) await writing.write([operation('a', n), operation(`other-${n}`, n)]);
  await writing.compact();
  const read = asleep.read((at) => getDocument(asleep.readers, at, 'a'));
  expect(await read).toEqual(await writing.read((at) => getDocument(writing.readers, at, 'a')));
  expect(asleep.snapshot().head).toEqual(writing.snapshot().head);
});

describe('compaction where other processes may have the database open', () => {
  /** Writes a document with twenty versions. Compaction may keep only one of them. */
  async function written(isAlone: () => Promise<boolean>) {
    const values = new Map<string, Uint8Array>();
    const store = { ...memoryStore(values), isAlone };
    const commits = await openOn(store, { commits: 1, bytes: 0 });
    await commits.write([operation('a', 0)]);
    const { head } = commits.snapshot();
    for (let n = 1; n < 20; n++) await commits.write([operation('a', n)]);
    const smallOnes = () => [...values.keys()].filter((key) => key.startsWith('commit/')).length;
    const [first] = head;
    const isFirstThere = async () =>
      commits.readers.event(first ?? raise()).then(
        () => true,
        () => false,
      );
    return { commits, smallOnes, isFirstThere };
  }
  const raise = () => {
    throw new Error('there is a head');
  };

  test('[R8] merges small archives, but drops the past only when no other process has the database open', async () => {
    let isAlone = false;
    const { commits, smallOnes, isFirstThere } = await written(async () => isAlone);
    expect(smallOnes()).toBeGreaterThan(10);
    await commits.compact();
    expect([smallOnes(), commits.hasDropped(), await isFirstThere()]).toEqual([0, false, true]);
    isAlone = true;
    await commits.compact();
    expect([commits.hasDropped(), commits.archiveIds().length]).toEqual([true, 1]);
  });

  test('[R8] drops nothing when another process opens the database during the search for dead blocks', async () => {
    let asked = 0;
    const { commits, smallOnes, isFirstThere } = await written(async () => asked++ === 0);
    const before = smallOnes();
    await commits.compact();
    expect(asked).toBeGreaterThan(1);
    expect([smallOnes(), commits.hasDropped(), await isFirstThere()]).toEqual([before, false, true]);
  });

  test('[P5] prepares a database with dropped events for sync only when no other process has the database open', async () => {
    let isAlone = true;
    const { commits } = await written(async () => isAlone);
    await commits.compact();
    const { head, root } = commits.snapshot();
    isAlone = false;
    await expect(commits.prepareForSync()).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    expect(commits.snapshot().head).toEqual(head);
    isAlone = true;
    await commits.prepareForSync();
    expect(commits.snapshot().head).not.toEqual(head);
    expect(commits.snapshot().root).toEqual(root);
  });
});
