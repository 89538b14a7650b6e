import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { createTurns } from '../../base/turns.ts';
import { sortHead } from '../../clock/event.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { deletion, full, operation } from '../head.fixture.ts';
import type { Operation, Write } from '../write-queue.ts';
import { inCallOrder } from '../writes.ts';
import { createRowAppender } from './append-row.ts';
import { pendingKey } from './pending-rows.ts';
import { createWriteLog } from './write-log.ts';

const namesOf = (operations: readonly Operation[]) => operations.map(({ key }) => key).join();

/** Creates a log. Stored rows and commits finish at once, unless a test holds or fails them. */
function logged() {
  const time = simulatedTime();
  const state = {
    isShared: false,
    isPaceDue: false,
    changedElsewhere: [] as string[],
    rest: (): Promise<void> => Promise.resolve(),
    failRow: undefined as FixpointError | undefined,
    failAnnounce: undefined as Error | undefined,
    failCommit: undefined as FixpointError | undefined,
    hold: undefined as Promise<void> | undefined,
    holdCommit: undefined as Promise<void> | undefined,
  };
  const seen = {
    rows: [] as string[],
    commits: [] as string[],
    direct: [] as string[],
    announced: [] as string[],
    /** Commits and direct writes, in their order. */
    order: [] as string[],
    reports: [] as unknown[],
  };
  const exclusive = createTurns();
  const log = createWriteLog({
    appender: createRowAppender({
      store: {
        writer: 0,
        read: async () => undefined,
        write: async (changes) => {
          await state.hold;
          const failure = state.failRow;
          if (failure !== undefined) throw failure;
          seen.rows.push(...changes.map(({ key }) => key));
          return true;
        },
      },
      writer: 'w',
      time,
    }),
    commitsForAll: () => false,
    known: () => sortHead([]),
    time,
    pace: { isDue: () => state.isPaceDue, rest: () => state.rest() },
    exclusive,
    commit: async (rows) => {
      await state.holdCommit;
      if (state.failCommit !== undefined) throw state.failCommit;
      seen.order.push(...rows.map(({ operations }) => namesOf(operations)));
      seen.commits.push(rows.map(({ operations }) => namesOf(operations)).join(' '));
      return { changedElsewhere: state.changedElsewhere };
    },
    isShared: () => state.isShared,
    announceElsewhere: (ids) =>
      void seen.announced.push(`${ids.join()} elsewhere, pending ${log.get('a') !== undefined}`),
    announce: (operations, isFirst) => {
      if (state.failAnnounce !== undefined) throw state.failAnnounce;
      seen.announced.push(namesOf(operations) + (isFirst ? '!' : ''));
    },
    report: (error) => void seen.reports.push(error),
  });
  const direct = (operations: Write) =>
    exclusive(async () => {
      await log.settleInTurn();
      const names = typeof operations === 'function' ? 'made' : namesOf(operations);
      seen.direct.push(names);
      seen.order.push(names);
    });
  return { log: { ...log, write: inCallOrder(log, direct) }, time, state, seen };
}

describe('a write', () => {
  test('[R1] is acknowledged and announced once its row is stored, before a commit contains it', async () => {
    const { log, seen } = logged();
    await log.write([operation('a', 1)]);
    expect(seen).toMatchObject({
      rows: [expect.stringMatching(/^pending\/w\/\d{17}$/)],
      announced: ['a!'],
      commits: [],
    });
    expect(log.isEmpty()).toBe(false);
    expect(log.get('a')).toEqual(operation('a', 1).value);
    expect(log.get('b')).toBeUndefined();
  });

  test('[R11] lets other work run before its row is stored if the slice is over', async () => {
    const { log, state, seen } = logged();
    const events: string[] = [];
    state.isPaceDue = true;
    state.rest = async () => void events.push(`rest after ${seen.rows.length}`);
    await log.write([operation('a', 1)]);
    await log.write([operation('b', 1)]);
    expect(events).toEqual(['rest after 0', 'rest after 1']);
  });

  test('[R12] is announced again after its commit if another tab wrote the document later', async () => {
    const { log, state, seen } = logged();
    await log.write([operation('a', 1)]);
    state.changedElsewhere = ['a'];
    await log.settle();
    expect(seen.announced).toEqual(['a!', 'a elsewhere, pending false']);
  });

  test('shares a row with the writes that arrived while the previous row was stored', async () => {
    const { log, seen } = logged();
    await Promise.all(['a', 'b', 'c'].map((id) => log.write([operation(id, 1)])));
    expect(seen.rows).toHaveLength(2);
    expect(seen.announced).toEqual(['a!', 'b,c']);
  });

  test('shares a row with the writes of callers that were answered together', async () => {
    const { log, state, seen } = logged();
    state.rest = async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    };
    const caller = async (id: string) => {
      for (let n = 0; n < 3; n++) await log.write([operation(id, n)]);
    };
    await Promise.all(['a', 'b', 'c', 'd'].map(caller));
    expect(seen.announced).toEqual(['a!', 'b,c,d', 'a,b,c,d', 'a,b,c,d']);
  });

  test('[R3] is rejected if its row could not be stored, and the next write is independent', async () => {
    const { log, state, seen } = logged();
    state.failRow = full;
    await expect(log.write([operation('a', 1)])).rejects.toBe(full);
    state.failRow = undefined;
    await log.write([operation('b', 1)]);
    expect(log.get('a')).toBeUndefined();
    expect(seen.announced).toEqual(['b!']);
  });

  test('[R10] is committed directly if it deletes, so that compaction can drop each deletion separately', async () => {
    const { log, seen } = logged();
    await log.write([deletion('a')]);
    await log.write([operation('b', 1), deletion('c')]);
    expect([seen.rows, seen.direct]).toEqual([[], ['a', 'b,c']]);
  });

  test.each([
    [
      'is larger than a small write',
      [operation('a', 1), { ...operation('b', 1), files: { archives: [], staged: [] } }],
    ],
    ['has many documents', Array.from({ length: 21 }, (_, n) => operation(`d${n}`, n))],
  ])('is committed directly if it %s', async (_name, operations) => {
    const { log, seen } = logged();
    await log.write(operations);
    expect(seen).toMatchObject({ rows: [], direct: [namesOf(operations)] });
  });

  test('is committed directly while there is another writer', async () => {
    const { log, state, seen } = logged();
    state.isShared = true;
    await log.write([operation('a', 1)]);
    expect(seen).toMatchObject({ rows: [], direct: ['a'] });
  });

  test('keeps its place after earlier pending writes and before later ones if it is committed directly', async () => {
    const { log, state, seen } = logged();
    let release: () => void = () => undefined;
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    const large = Array.from({ length: 21 }, (_, n) => operation(`d${n}`, n));
    const all = [log.write([operation('a', 1)]), log.write(large), log.write([operation('d1', 9)])];
    release();
    await Promise.all(all);
    expect(seen.order).toEqual(['a', namesOf(large), 'd1']);
    expect(seen.direct).toEqual([namesOf(large), 'd1']);
  });

  test('keeps its place if the next write is called while it continues after the stored row', async () => {
    for (let microtasks = 0; microtasks < 20; microtasks++) {
      const { log, state, seen } = logged();
      let release: () => void = () => undefined;
      state.hold = new Promise((resolve) => {
        release = resolve;
      });
      const all = [log.write([operation('a', 1)]), log.write([deletion('b')])];
      release();
      for (let n = 0; n < microtasks; n++) await undefined;
      all.push(log.write([operation('c', 1)]));
      await Promise.all(all);
      await log.settle();
      expect([microtasks, seen.order]).toEqual([microtasks, ['a', 'b', 'c']]);
    }
  });
});

describe('the log', () => {
  test('commits pending writes together after ten idle milliseconds', async () => {
    const { log, time, seen } = logged();
    await log.write([operation('a', 1)]);
    await time.pass(8);
    await log.write([operation('b', 1)]);
    await time.pass(8);
    expect(seen.commits).toEqual([]);
    await time.pass(4);
    expect(seen.commits).toEqual(['a b']);
    expect(log.isEmpty()).toBe(true);
    expect(log.get('a')).toBeUndefined();
  });

  test('commits pending writes after 100 ms, even if writes continue', async () => {
    const { log, time, seen } = logged();
    for (let n = 0; n < 25; n++) {
      await log.write([operation(`d${n}`, n)]);
      await time.pass(5);
    }
    expect(seen.commits.length).toBe(1);
    expect(seen.commits[0]?.split(' ').length).toBeGreaterThan(15);
  });

  test('commits pending writes as soon as a thousand operations are pending', async () => {
    const { log, seen } = logged();
    for (let n = 0; n < 1000; n++) await log.write([operation(`d${n}`, n)]);
    await log.settle();
    expect(seen.commits).toHaveLength(1);
  });

  test('resolves settle when earlier writes are committed, without waiting for later ones', async () => {
    const { log, seen } = logged();
    await log.write([operation('a', 1)]);
    const settled = log.settle();
    await log.write([operation('b', 1)]);
    await settled;
    expect(seen.commits[0]?.split(' ')[0]).toBe('a');
    await log.settle();
    expect(seen.commits.join(' ')).toBe('a b');
    expect(log.isEmpty()).toBe(true);
  });

  test('returns the newest value of a document, also while an older value is being committed', async () => {
    const { log, state } = logged();
    let release: () => void = () => undefined;
    state.holdCommit = new Promise((resolve) => {
      release = resolve;
    });
    await log.write([operation('a', 1)]);
    await log.write([operation('a', 2)]);
    const settled = log.settle();
    await log.write([operation('a', 3)]);
    release();
    await settled;
    expect(log.get('a')).toEqual(operation('a', 3).value);
  });

  test('[R3] keeps writes pending if their commit fails, and adds them to the next commit', async () => {
    const { log, time, state, seen } = logged();
    await log.write([operation('a', 1)]);
    state.failCommit = full;
    await expect(log.settle()).rejects.toBe(full);
    expect(log.get('a')).toEqual(operation('a', 1).value);
    state.failCommit = undefined;
    await log.write([operation('b', 1)]);
    await time.pass(20);
    expect(seen.commits).toEqual(['a b']);
    expect(log.isEmpty()).toBe(true);
  });

  test('reports a commit that fails in the background', async () => {
    const { log, time, state, seen } = logged();
    state.failCommit = new FixpointError('CORRUPT');
    await log.write([operation('a', 1)]);
    await time.pass(20);
    expect(seen.reports).toEqual([state.failCommit]);
  });

  test('[R3] reports an announcement that fails, and stores later writes', async () => {
    const { log, state, seen } = logged();
    state.failAnnounce = new Error('the channel is closed');
    await Promise.all([log.write([operation('a', 1)]), log.write([operation('b', 1)])]);
    expect(new Set(seen.reports)).toEqual(new Set([state.failAnnounce]));
    state.failAnnounce = undefined;
    await log.write([operation('c', 1)]);
    await log.settle();
    expect(seen.announced).toEqual(['c']);
    expect(seen.commits.join(' ')).toBe('a b c');
  });

  test('commits nothing after it was stopped', async () => {
    const { log, time, seen } = logged();
    await log.write([operation('a', 1)]);
    await log.stop();
    await time.pass(1000);
    expect(seen.commits).toEqual([]);
  });
});

test('adopts rows of an earlier owner, and continues their numbers', async () => {
  const { log, time, seen } = logged();
  const later = time.now() * 1000 + 1e9;
  log.adopt([
    { key: pendingKey('w', later), operations: [operation('a', 1)], known: sortHead([]), timeMs: 1 },
    { key: pendingKey('w', later + 1), operations: [operation('a', 2)], known: sortHead([]), timeMs: 1 },
  ]);
  expect(log.get('a')).toEqual(operation('a', 2).value);
  await log.write([operation('b', 1)]);
  expect(seen.rows).toEqual([pendingKey('w', later + 2)]);
  await log.settle();
  expect(seen.commits).toEqual(['a a b']);
});

describe('limits', () => {
  test('[R10] stores at most a thousand operations in a row', async () => {
    const { log, state, seen } = logged();
    let release: () => void = () => undefined;
    state.hold = new Promise((resolve) => {
      release = resolve;
    });
    const all = Array.from({ length: 2500 }, (_, n) => log.write([operation(`d${n}`, n)]));
    release();
    await Promise.all(all);
    expect(seen.rows.length).toBe(4);
  });

  test('commits directly while too many writes are pending, so that writers wait', async () => {
    const { log, state, seen } = logged();
    state.failCommit = full;
    for (let n = 0; n < 5000; n++) await log.write([operation(`d${n}`, n)]);
    expect(seen.direct).toEqual([]);
    state.failCommit = undefined;
    await log.write([operation('late', 1)]);
    expect(seen.direct).toEqual(['late']);
  });

  test('[R3] repeats a failed commit after a second', async () => {
    const { log, time, state, seen } = logged();
    state.failCommit = full;
    await log.write([operation('a', 1)]);
    await time.pass(500);
    expect(seen.reports).toEqual([full]);
    state.failCommit = undefined;
    await time.pass(1000);
    expect(seen.commits).toEqual(['a']);
  });
});
