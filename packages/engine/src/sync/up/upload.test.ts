import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { type Head, sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import { decodeMetaEntry } from '../ledger/meta-entry-codec.ts';
import { sessionOver, write } from '../session.fixture.ts';
import { createUploads, type UploadParts } from './upload.ts';

const entry = { cid: 'of another tab', parents: [], data: '' };

/**
 * Creates the uploads of a database with two commits. A test can replace the other parts of the
 * sync.
 */
async function uploading(given: Partial<UploadParts> = {}) {
  const world = await sessionOver();
  const { session, commits, memory } = world;
  await write(commits, ['a', 1], ['b', 1]);
  const steps: string[] = [];
  const uploads = createUploads(session, {
    load: () => import('./merge-groups.ts'),
    mayBegin: () => true,
    mayCompare: () => true,
    catchUp: async () => void steps.push('catch up'),
    isHeadLost: async () => {
      steps.push('compare');
      return false;
    },
    changed: () => undefined,
    ...given,
  });
  /** Records all archives as sent, without sending them. */
  const allSent = async () => {
    const rows = memory.rowsOfSent(commits.archiveIds());
    await commits.markUploaded(commits.archiveIds(), rows);
    memory.learned(rows);
  };
  /** Starts a complete listing, which contains no entry of this device. */
  const relist = () => session.listed.take({ metas: [entry], keys: [], anew: true });
  const readEntry = (head: Head) =>
    session.listed.read(entry.cid, { group: [commits.archiveIds()[0] as Cid], head });
  const run = async () => {
    uploads.wake('now');
    await uploads.settled();
  };
  return { ...world, uploads, steps, allSent, relist, readEntry, run };
}

describe('sending', () => {
  test('sends all archives and an entry that contains the head, and then stops', async () => {
    const { run, uploads, connect, remote, commits, steps } = await uploading();
    connect();
    await run();
    expect(remote.entries.map((one) => decodeMetaEntry(one).head)).toEqual([commits.snapshot().head]);
    expect([uploads.waiting(), uploads.failure(), steps]).toEqual([0, undefined, []]);
    const { length } = remote.transfers;
    await run();
    expect(remote.transfers).toHaveLength(length);
  });

  test('[R17] waits for a connection, and counts the pending archives', async () => {
    const { run, uploads, connect, remote, commits } = await uploading();
    await run();
    expect([remote.transfers, uploads.waiting(), uploads.hasWork()]).toEqual([
      [],
      commits.archiveIds().length,
      true,
    ]);
    connect();
    await run();
    expect(uploads.waiting()).toBe(0);
  });

  test('waits until this device has merged the entries that the remote lists', async () => {
    let isMerged = false;
    const { run, connect, remote } = await uploading({ mayBegin: () => isMerged });
    connect();
    await run();
    expect(remote.transfers).toEqual([]);
    isMerged = true;
    await run();
    expect(remote.entries).toHaveLength(1);
  });

  test('[R17] keeps archives pending when the remote refuses them, reports the reason, and sends them later', async () => {
    const { time, run, uploads, connect, remote, session } = await uploading();
    connect();
    remote.status = () => 500;
    uploads.wake('now');
    await time.until(() => uploads.failure() !== undefined);
    expect(uploads.failure()).toMatchObject({ code: 'GATEWAY_PUT' });
    expect([remote.entries, uploads.waiting() > 0, session.memory.sentArchives()]).toEqual([[], true, []]);
    remote.status = () => undefined;
    await run();
    expect([remote.entries.length, uploads.failure(), uploads.waiting()]).toEqual([1, undefined, 0]);
  });

  test('[R17] sends a commit that arrives during an upload, too', async () => {
    const { run, uploads, connect, remote, commits } = await uploading();
    connect();
    remote.before = async () => {
      remote.before = () => undefined;
      await write(commits, ['during', 1]);
      uploads.committed(false);
    };
    await run();
    const { head } = decodeMetaEntry(remote.entries.at(-1) as never);
    expect([remote.entries.length, head]).toEqual([2, commits.snapshot().head]);
  });

  test('reports no failure when the connection is lost during the upload', async () => {
    const { time, uploads, connect, remote, state } = await uploading();
    connect();
    remote.before = () => {
      state.connection = undefined;
      throw new Error('no network');
    };
    uploads.wake('now');
    await time.pass(60_000);
    await uploads.settled();
    // The link reports why it closed.
    expect([uploads.failure(), remote.entries, uploads.waiting() > 0]).toEqual([undefined, [], true]);
  });

  test('keeps a request open until everything that was pending at that time is sent', async () => {
    const { uploads, connect, run } = await uploading();
    const isPending = uploads.pending();
    await uploads.settled();
    expect([isPending(), uploads.isAwaited()]).toEqual([true, true]);
    connect();
    await run();
    expect([isPending(), uploads.isAwaited()]).toEqual([false, false]);
  });

  test('sends nothing after `stop`', async () => {
    const { uploads, connect, remote } = await uploading();
    connect();
    await uploads.stop();
    uploads.wake('now');
    uploads.committed(false);
    await uploads.settled();
    expect(remote.transfers).toEqual([]);
  });
});

describe('comparing a listing that seems to lack the head', () => {
  test('[R17] finds the head in an entry of another tab without loading lazy code, which may fail offline', async () => {
    const steps: string[] = [];
    const { run, uploads, connect, allSent, relist, readEntry, session, commits } = await uploading({
      catchUp: async () => {
        steps.push('catch up');
        readEntry(commits.snapshot().head);
      },
      isHeadLost: async () => {
        throw new FixpointError('FETCH', 'no network for lazy code');
      },
    });
    await allSent();
    relist();
    connect();
    await run();
    expect([steps, uploads.failure(), session.listed.doubt()]).toEqual([['catch up'], undefined, undefined]);
    expect(uploads.hasWork()).toBe(false);
  });

  test('compares only if the listing still lacks the head after the device caught up', async () => {
    const { run, connect, allSent, relist, steps } = await uploading();
    await allSent();
    relist();
    connect();
    await run();
    expect(steps).toEqual(['catch up', 'compare']);
  });

  test('does not compare when the listing has the head', async () => {
    const { run, connect, allSent, relist, readEntry, commits, steps, session } = await uploading();
    await allSent();
    relist();
    readEntry(commits.snapshot().head);
    connect();
    await run();
    expect([steps, session.listed.doubt()]).toEqual([[], undefined]);
  });

  test('[R17] passes the doubt of the newest listing to the comparison', async () => {
    const doubts: (number | undefined)[] = [];
    const world = await uploading({
      // The remote starts a new complete listing while this device catches up.
      catchUp: async () => world.relist(),
      isHeadLost: async (_, doubt) => {
        doubts.push(doubt);
        return false;
      },
    });
    await world.allSent();
    world.relist();
    world.connect();
    await world.run();
    expect(doubts).toEqual([world.session.listed.doubt()]);
  });

  test('[R17] announces a lost head again', async () => {
    let isLost = true;
    const { run, uploads, connect, allSent, relist, remote, session, commits } = await uploading({
      isHeadLost: async () => {
        session.listed.compared(session.listed.doubt() as number);
        return isLost;
      },
    });
    await allSent();
    relist();
    connect();
    await run();
    isLost = false;
    expect(remote.entries.map((one) => decodeMetaEntry(one).head)).toEqual([commits.snapshot().head]);
    expect([uploads.waiting(), uploads.failure()]).toEqual([0, undefined]);
  });

  test('[R17] compares again after a comparison failed', async () => {
    let tries = 0;
    const { time, run, uploads, connect, allSent, relist, session } = await uploading({
      isHeadLost: async (_, doubt) => {
        tries += 1;
        if (tries === 1) throw new FixpointError('FETCH', 'no network for lazy code');
        session.listed.compared(doubt as number);
        return false;
      },
    });
    await allSent();
    relist();
    connect();
    await run();
    expect(uploads.failure()).toMatchObject({ code: 'FETCH' });
    expect(uploads.hasWork()).toBe(true);
    await time.until(() => tries === 2);
    await uploads.settled();
    expect([uploads.failure(), uploads.hasWork()]).toEqual([undefined, false]);
  });

  test('waits until all listed entries were processed', async () => {
    let isDone = false;
    const { run, uploads, connect, allSent, relist, steps } = await uploading({ mayCompare: () => isDone });
    await allSent();
    relist();
    connect();
    await run();
    expect([steps, uploads.hasWork()]).toEqual([[], true]);
    isDone = true;
    await run();
    expect(steps).toEqual(['catch up', 'compare']);
  });

  test('does not compare while archives are pending, because their upload announces the head', async () => {
    const { run, connect, relist, steps, remote, session, commits } = await uploading();
    relist();
    connect();
    await run();
    expect(remote.entries).toHaveLength(1);
    expect(session.listed.covers(sortHead(commits.snapshot().head))).toBe(true);
    expect(steps).toEqual([]);
  });
});
