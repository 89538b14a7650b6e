import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { full } from '../../commit/head.fixture.ts';
import { encodeMetaEntry } from '../ledger/meta-entry-codec.ts';
import { entryOf, sessionOver, write } from '../session.fixture.ts';
import { createEntryQueue } from './entry-queue.ts';

/** Creates a device with a queue that contains an entry of another device. */
async function receiving() {
  const here = await sessionOver();
  const there = await sessionOver(here.remote);
  await write(there.commits, ['a', 1], ['b', 1]);
  const rejected: string[] = [];
  let changes = 0;
  const queue = createEntryQueue(
    here.session,
    () => import('./fetch-dropped.ts'),
    (cid) => void rejected.push(cid),
    () => void changes++,
  );
  const { entry, archive, head } = await entryOf(there);
  const list = (...entries: (typeof entry)[]) => {
    here.session.listed.take({ metas: entries, keys: [] });
    for (const one of entries) queue.entries.set(one.cid, one);
  };
  list(entry);
  const object = `car/${archive.cid}`;
  return { ...here, there, queue, rejected, changes: () => changes, entry, archive, head, object, list };
}

describe('taking an entry', () => {
  test('[P1] merges the head of the entry, and leaves nothing pending', async () => {
    const { queue, entry, head, commits, connect, memory, archive } = await receiving();
    connect();
    await queue.take(entry);
    expect(commits.snapshot().head).toEqual(head);
    expect([queue.waiting(), queue.quarantine.size(), queue.entries.size]).toEqual([0, 0, 0]);
    expect(memory.hasMerged([archive.cid], head)).toBe(true);
  });

  test('does nothing without a connection', async () => {
    const { queue, entry, remote } = await receiving();
    await queue.take(entry);
    expect([remote.transfers, queue.waiting()]).toEqual([[], 1]);
  });

  test('[R17] keeps the entry for the next connection when the connection is lost during the fetch', async () => {
    const { queue, entry, head, connect, remote, state, commits } = await receiving();
    connect();
    remote.before = () => {
      state.connection = undefined;
      throw new Error('no network');
    };
    await queue.take(entry);
    expect([queue.entries.has(entry.cid), queue.quarantine.size()]).toEqual([true, 0]);
    remote.before = () => undefined;
    connect();
    await queue.take(entry);
    expect(commits.snapshot().head).toEqual(head);
  });

  test('[R13] quarantines the entry while its archive is missing, and merges it once the archive arrives', async () => {
    const { queue, entry, head, object, connect, remote, commits, faulty } = await receiving();
    connect();
    const stored = remote.objects.get(object) as Uint8Array;
    remote.objects.delete(object);
    await queue.take(entry);
    expect(queue.quarantine.failure()).toMatchObject({ code: 'MISSING_CARS' });
    expect([queue.entries.size, queue.waiting(), faulty]).toEqual([0, 1, [object]]);
    remote.objects.set(object, stored);
    await queue.take(entry);
    expect([queue.waiting(), queue.quarantine.failure()]).toEqual([0, undefined]);
    expect(commits.snapshot().head).toEqual(head);
  });

  test('[R13] quarantines the entry while its archive is damaged, and stores nothing of the archive', async () => {
    const { queue, entry, object, connect, remote, commits, values } = await receiving();
    connect();
    const before = [...values.keys()];
    remote.objects.set(object, utf8('damaged'));
    await queue.take(entry);
    expect(queue.quarantine.failure()).toMatchObject({ code: 'CORRUPT' });
    expect([commits.snapshot().head, [...values.keys()]]).toEqual([[], before]);
  });

  test('[R3] quarantines the entry when the disk is full', async () => {
    const { queue, entry, head, connect, commits, failOnce } = await receiving();
    connect();
    failOnce('write', full);
    await queue.take(entry);
    expect(queue.quarantine.failure()).toMatchObject({ code: 'STORE_FULL' });
    await queue.take(entry);
    expect(commits.snapshot().head).toEqual(head);
  });

  test('[R13] rejects an entry that nobody can read, without quarantining it', async () => {
    const { queue, connect, list, rejected, entry } = await receiving();
    connect();
    const bad = { ...entry, cid: 'other', data: 'Mnonsense' };
    list(bad);
    await queue.take(bad);
    expect([rejected, queue.quarantine.size(), queue.entries.has('other')]).toEqual([['other'], 0, false]);
  });

  test('[R17] drops an entry whose archive is lost if this device already has the head', async () => {
    const { queue, entry, head, object, connect, remote, commits } = await receiving();
    await write(commits, ['a', 1], ['b', 1]);
    expect(commits.snapshot().head).toEqual(head);
    connect();
    remote.objects.delete(object);
    await queue.take(entry);
    expect([queue.waiting(), queue.quarantine.size()]).toEqual([0, 0]);
  });

  test('counts the archives that still have to be fetched', async () => {
    const { queue, connect, there, remote, session, list } = await receiving();
    await write(there.commits, ['c', 1]);
    const first = await entryOf(there);
    await write(there.commits, ['d', 1]);
    const second = await entryOf(there, { cars: [[first.archive.cid]] });
    list(second.entry);
    connect();
    const counts: number[] = [];
    remote.before = () => void counts.push(queue.waiting());
    await queue.take(second.entry);
    expect(counts).toEqual([2, 2]);
    expect(session.memory.knows([first.archive.cid])).toBe(true);
  });
});

describe('looking at an entry', () => {
  test('fetches an entry whose head this device does not have', async () => {
    const { queue, entry, connect, head, commits } = await receiving();
    connect();
    expect(await queue.look(entry)).toBe(true);
    expect(commits.snapshot().head).toEqual(head);
  });

  test('moves an entry to `behind`, without any transfer, if this device has the head', async () => {
    const { queue, entry, connect, commits, remote } = await receiving();
    await write(commits, ['a', 1], ['b', 1]);
    connect();
    expect(await queue.look(entry)).toBe(false);
    expect([remote.transfers, queue.entries.size, queue.behind.size, queue.waiting()]).toEqual([[], 0, 1, 1]);
  });

  test('rejects an unreadable entry at once, instead of moving it to `behind`', async () => {
    const { queue, connect, rejected, list, entry } = await receiving();
    connect();
    const bad = { ...entry, cid: 'other', data: 'Mnonsense' };
    list(bad);
    expect(await queue.look(bad)).toBe(true);
    expect(rejected).toEqual(['other']);
  });
});

describe('taking entries together', () => {
  /** Adds entries of two more devices, which wrote at the same time as the first one. */
  async function apart() {
    const world = await receiving();
    const entries = [world.entry];
    const archives = [world.archive];
    const heads = [world.head];
    for (const id of ['c', 'd']) {
      const device = await sessionOver(world.remote);
      await write(device.commits, [id, 1]);
      const { entry, archive, head } = await entryOf(device);
      world.list(entry);
      entries.push(entry);
      archives.push(archive);
      heads.push(head);
    }
    let steps = 0;
    world.commits.subscribe(() => void steps++);
    world.connect();
    return { ...world, entries, archives, all: heads.flat().sort(), steps: () => steps };
  }

  test('[P1] merges the heads of all devices in one step', async () => {
    const { queue, all, commits, steps, memory, archives } = await apart();
    await queue.takeTogether();
    expect([...commits.snapshot().head].sort()).toEqual(all);
    expect([steps(), queue.waiting(), queue.quarantine.size()]).toEqual([1, 0, 0]);
    for (const { cid } of archives) expect(memory.holds(cid)).toBe(true);
  });

  test('[R13] leaves the entries to be taken one by one if one of them is damaged', async () => {
    const { queue, all, commits, entries, archives, remote } = await apart();
    remote.objects.set(`car/${archives[1]?.cid}`, utf8('damaged'));
    await queue.takeTogether();
    expect([commits.snapshot().head, queue.entries.size]).toEqual([[], 3]);
    // They don't fail together again.
    await queue.takeTogether();
    expect(queue.entries.size).toBe(3);
    for (const entry of entries) await queue.look(entry);
    expect(commits.snapshot().head).toHaveLength(all.length - 1);
    expect([queue.entries.size, queue.quarantine.size()]).toEqual([0, 1]);
  });

  test('[R3] merges all entries one by one if the disk was full', async () => {
    const { queue, all, commits, entries, failOnce } = await apart();
    failOnce('write', full);
    await queue.takeTogether();
    expect(queue.entries.size).toBe(3);
    for (const entry of entries) await queue.look(entry);
    expect([...commits.snapshot().head].sort()).toEqual(all);
  });

  test('[R17] keeps the entries for the next connection when the connection is lost', async () => {
    const { queue, all, commits, remote, state, connect, steps } = await apart();
    remote.before = () => {
      state.connection = undefined;
      throw new Error('no network');
    };
    await queue.takeTogether();
    expect([queue.entries.size, queue.quarantine.size()]).toEqual([3, 0]);
    remote.before = () => undefined;
    connect();
    await queue.takeTogether();
    expect([...commits.snapshot().head].sort()).toEqual(all);
    expect(steps()).toBe(1);
  });

  test('moves entries to `behind` whose heads this device has', async () => {
    const { queue, entry, commits } = await apart();
    await queue.take(entry);
    const merged = commits.snapshot().head;
    queue.entries.set(entry.cid, entry);
    await queue.takeTogether();
    expect([queue.behind.size, queue.entries.size]).toEqual([1, 0]);
    expect(commits.snapshot().head).toEqual(expect.arrayContaining([...merged]));
  });
});

describe('entries that most likely contain nothing new', () => {
  /** Moves an entry to `behind`, because this device has the head of the entry. */
  async function behind() {
    const world = await receiving();
    await write(world.commits, ['a', 1], ['b', 1]);
    world.connect();
    await world.queue.look(world.entry);
    return world;
  }

  test('merges the claimed head of an entry without any transfer', async () => {
    const { queue, connect, memory, archive, head, remote } = await behind();
    await queue.lookBehind(connect());
    expect([queue.behind.size, queue.waiting(), remote.transfers]).toEqual([0, 0, []]);
    expect(memory.hasMerged([archive.cid], head)).toBe(true);
  });

  test('[R3] fetches the archive of an entry when the claimed head could not be stored', async () => {
    const { queue, connect, failOnce, remote, object } = await behind();
    const connection = connect();
    failOnce('write', full);
    await queue.lookBehind(connection);
    expect([queue.behind.size, remote.transfers]).toEqual([1, []]);
    await queue.lookBehind(connection);
    expect([queue.behind.size, queue.waiting()]).toEqual([0, 0]);
    expect(remote.transfers).toEqual([`GET ${object}`]);
  });

  test('fetches an entry on its own after two failed merges in a batch', async () => {
    const { queue, connect, failOnce, entry, commits } = await behind();
    const connection = connect();
    for (let n = 0; n < 2; n++) {
      failOnce('write', full);
      await queue.lookBehind(connection);
    }
    expect([queue.behind.size, queue.entries.has(entry.cid)]).toEqual([0, true]);
    // The entry doesn't move to `behind` again, although this device has its head.
    expect(await queue.look(entry)).toBe(true);
    expect(queue.waiting()).toBe(0);
    expect(commits.snapshot().head).toHaveLength(1);
  });

  test('leaves entries in `behind` when the connection was lost', async () => {
    const { queue, connect, state } = await behind();
    const connection = connect();
    state.connection = undefined;
    await queue.lookBehind(connection);
    expect(queue.behind.size).toBe(1);
  });

  test('fetches the archive of an entry that claims no head, as existing clients write it', async () => {
    const { queue, connect, there, memory, list, archive, head, remote, object } = await receiving();
    expect(there.commits.snapshot().head).toEqual(head);
    const silent = encodeMetaEntry([archive.cid]);
    list(silent);
    memory.learned(memory.rowsOfGroups([[archive.cid]], 'live', 1));
    const connection = connect();
    expect(await queue.look(silent)).toBe(false);
    await queue.lookBehind(connection);
    expect(remote.transfers).toEqual([`GET ${object}`]);
    expect(memory.hasMerged([archive.cid], head)).toBe(true);
  });
});
