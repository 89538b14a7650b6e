import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { WITHOUT_REST } from '../../base/pace.ts';
import { createTurns } from '../../base/turns.ts';
import type { ClockEvent } from '../../clock/event.ts';
import { sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { createAttempts } from '../attempts.ts';
import { commit } from '../commit.ts';
import { reloadHead } from '../current-head.ts';
import { copyOf, documentAt, full, headOver, operation } from '../head.fixture.ts';
import type { StampOptions } from '../stamps.ts';
import { openWriteLog } from './open-write-log.ts';
import { encodePending, pendingKey } from './pending-rows.ts';

const channel = { post: () => undefined, onHint: () => () => undefined, close: () => undefined };
/** Opens the head and the log of one tab or process over stored values. */
async function opened(
  values: Map<string, Uint8Array>,
  writer: string,
  more: Partial<ByteStore> = {},
  commitEachWrite = false,
) {
  const tab = await headOver(values, more);
  const { head, store, time } = tab;
  const reports: unknown[] = [];
  const exclusive = createTurns();
  const { attempts } = createAttempts({
    ...{ store, channel, time },
    reload: () => reloadHead(head),
    requireOpen: () => undefined,
  });
  const log = openWriteLog({
    ...{ head, store, time, attempts },
    newWriter: () => writer,
    commitEachWrite,
    pace: WITHOUT_REST,
    exclusive,
    committed: () => undefined,
    report: (error) => void reports.push(error),
  });
  await tab.open();
  await log.recover(Promise.resolve());
  return { ...tab, log, exclusive, reports };
}

const rowsIn = (values: ReadonlyMap<string, Uint8Array>) =>
  [...values.keys()].filter((key) => key.startsWith('pending/'));

const pendingIn = (values: Map<string, Uint8Array>, writer: string, number: number, id: string, n: number) =>
  values.set(pendingKey(writer, number), encodePending([operation(id, n)], sortHead([]), 1));

describe('a commit of pending writes', () => {
  test('[R2] removes their rows in the same step, and announces nothing again', async () => {
    const { log, head, values, changes, writes } = await opened(new Map(), 'a');
    await log.append([operation('x', 1)]);
    await log.append([operation('x', 2)]);
    expect(rowsIn(values)).toHaveLength(2);
    expect(changes.map(({ origin, ids }) => [origin, ids])).toEqual([
      ['local', ['x']],
      ['local', ['x']],
    ]);
    await log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(writes.at(-1)?.keys.filter((key) => key.startsWith('pending/'))).toHaveLength(2);
    expect(changes.at(-1)).toMatchObject({ origin: 'settled', ids: ['x'], after: head.snapshot.head });
    expect(await documentAt(head, 'x')).toEqual(operation('x', 2).value.bytes);
  });

  test('stamps the event with the time of the newest write, not with the time of the commit', async () => {
    const { log, head, time } = await opened(new Map(), 'a');
    const stamped: (number | undefined)[] = [];
    Object.assign(head, {
      stamp: async (event: ClockEvent, { timeMs }: StampOptions) => {
        stamped.push(timeMs);
        return { ...event, by: Uint8Array.of(1) };
      },
    });
    await log.append([operation('x', 1)]);
    await time.pass(5);
    const newest = time.now();
    await log.append([operation('y', 1)]);
    await time.pass(5);
    await log.settle();
    expect(stamped).toEqual([newest]);
    expect((await head.readers.event(head.snapshot.head[0] as Cid)).by).toEqual(Uint8Array.of(1));
  });

  test('lists documents in the order of their last writes', async () => {
    const { log, changes } = await opened(new Map(), 'a');
    for (const [id, n] of [
      ['x', 1],
      ['y', 1],
      ['x', 2],
    ] as const)
      await log.append([operation(id, n)]);
    await log.settle();
    expect(changes.at(-1)?.ids).toEqual(['y', 'x']);
  });

  test('removes the row of a write that changes nothing', async () => {
    const { log, head, values } = await opened(new Map(), 'a');
    await log.append([operation('x', 1)]);
    await log.settle();
    const before = head.snapshot.head;
    await log.append([operation('x', 1)]);
    await log.settle();
    expect(head.snapshot.head).toEqual(before);
    expect(rowsIn(values)).toEqual([]);
  });

  test('[R9] keeps the order of the writes of several tabs, whichever tab commits', async () => {
    const values = new Map<string, Uint8Array>();
    const a = await opened(values, 'z');
    const b = await opened(values, 'b');
    await a.log.append([operation('x', 1)]);
    await a.time.pass(1);
    await b.time.pass(2);
    await b.log.append([operation('x', 2)]);
    await b.log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(b.changes.at(-1)).toMatchObject({ origin: 'elsewhere', ids: ['x'] });
    await a.log.settle();
    expect(a.changes.at(-1)).toMatchObject({ origin: 'elsewhere', ids: ['x'] });
    expect(a.log.get('x')).toBeUndefined();
    expect(await documentAt(a.head, 'x')).toEqual(operation('x', 2).value.bytes);
  });

  test('leaves a row that is stored in the meantime to the next commit, and reads no rows', async () => {
    let duringKeys: (() => Promise<void>) | undefined;
    const values = new Map<string, Uint8Array>();
    const { log, head, changes, ...tab } = await opened(values, 'a', {}, false);
    const { keys, readPrefix } = tab.store;
    const read: string[] = [];
    Object.assign(tab.store, {
      keys: async (prefix: string) => {
        await duringKeys?.();
        return keys(prefix);
      },
      readPrefix: (prefix: string) => {
        read.push(prefix);
        return readPrefix(prefix);
      },
    });
    await log.append([operation('x', 1)]);
    duringKeys = () => log.append([operation('x', 2)]);
    await log.settle();
    duringKeys = undefined;
    expect(await documentAt(head, 'x')).toEqual(operation('x', 1).value.bytes);
    expect(rowsIn(values)).toHaveLength(1);
    await log.settle();
    expect(await documentAt(head, 'x')).toEqual(operation('x', 2).value.bytes);
    expect(rowsIn(values)).toEqual([]);
    expect(read).toEqual([]);
    expect(changes.map(({ origin }) => origin)).toEqual(['local', 'local', 'settled', 'settled']);
  });

  test('leaves a row that is stored but not yet acknowledged to the next commit', async () => {
    const values = new Map<string, Uint8Array>();
    const { log, store, changes } = await opened(values, 'a');
    await log.append([operation('x', 1)]);
    const { write } = store;
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    Object.assign(store, {
      write: async (...given: Parameters<ByteStore['write']>) => {
        const isDone = await write(...given);
        if (given[0].some(({ key, bytes }) => bytes && key.startsWith('pending/'))) await answered;
        return isDone;
      },
    });
    const second = log.append([operation('x', 2)]);
    while (rowsIn(values).length < 2) await Promise.resolve();
    await log.settle();
    expect(rowsIn(values)).toHaveLength(1);
    answer();
    await second;
    await log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(changes.map(({ origin }) => origin)).toEqual(['local', 'settled', 'local', 'settled']);
  });

  test('[R9] contains rows of other tabs after a row whose write failed, but that is stored', async () => {
    const values = new Map<string, Uint8Array>();
    const a = await opened(values, 'a');
    const b = await opened(values, 'b');
    const { write } = a.store;
    Object.assign(a.store, {
      write: async (...given: Parameters<ByteStore['write']>) => {
        Object.assign(a.store, { write });
        await write(...given);
        throw new FixpointError('STORE_FAILED');
      },
    });
    await b.log.append([operation('w', 1)]);
    await b.log.settle();
    await expect(a.log.append([operation('x', 1)])).rejects.toMatchObject({ code: 'STORE_FAILED' });
    expect(rowsIn(values)).toHaveLength(1);
    await b.log.append([operation('x', 2)]);
    await a.log.settleInTurn({ lookForOthers: true });
    expect(rowsIn(values)).toEqual([]);
    expect(await documentAt(a.head, 'x')).toEqual(operation('x', 2).value.bytes);
  });

  test('[R9] leaves rows of another tab that follow such a row to the next commit, too', async () => {
    const values = new Map<string, Uint8Array>();
    const a = await opened(values, 'a');
    const b = await opened(values, 'b');
    const { keys } = a.store;
    let isFirst = true;
    Object.assign(a.store, {
      keys: async (prefix: string) => {
        if (isFirst) {
          isFirst = false;
          await a.log.append([operation('x', 2)]);
          await b.log.append([operation('x', 3)]);
        }
        return keys(prefix);
      },
    });
    await a.log.append([operation('x', 1)]);
    await a.log.settle();
    expect(rowsIn(values)).toHaveLength(2);
    await a.log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(await documentAt(a.head, 'x')).toEqual(operation('x', 3).value.bytes);
  });

  test('[R9] leaves out rows that another tab committed first', async () => {
    const values = new Map<string, Uint8Array>();
    const a = await opened(values, 'a');
    await a.log.append([operation('x', 1)]);
    const b = await opened(values, 'b');
    expect(rowsIn(values)).toEqual([]);
    await b.log.append([operation('x', 2)]);
    await b.log.settle();
    await a.log.append([operation('y', 1)]);
    await a.log.settle();
    expect(await documentAt(a.head, 'x')).toEqual(operation('x', 2).value.bytes);
    expect(await documentAt(a.head, 'y')).toEqual(operation('y', 1).value.bytes);
  });
});

test('posts a hint with the first pending write, so that other tabs notice the write', async () => {
  const { log, posts } = await opened(new Map(), 'a');
  await log.append([operation('x', 1)]);
  await log.append([operation('y', 1)]);
  expect(posts).toHaveLength(1);
});

test('[R10] previews all pending writes on a full disk, and changes nothing', async () => {
  const values = new Map<string, Uint8Array>();
  const { log, head, hooks } = await opened(values, 'a');
  const before = await log.preview();
  expect(before).toBe(head.snapshot);
  await log.append([operation('x', 1)]);
  pendingIn(values, 'b', 9, 'y', 1);
  const stored = copyOf(values);
  hooks.write = () => {
    throw full;
  };
  const preview = await log.preview();
  expect(preview.head).toEqual(head.snapshot.head);
  for (const id of ['x', 'y'])
    expect(await documentAt({ ...head, snapshot: preview }, id)).toEqual(operation(id, 1).value.bytes);
  expect(values).toEqual(stored);
  hooks.write = undefined;
  await log.settle();
  for (const id of ['x', 'y']) expect(await documentAt(head, id)).toEqual(operation(id, 1).value.bytes);
});

describe('an open', () => {
  test('[R10] succeeds on a full disk, and keeps the pending writes', async () => {
    const { log, values } = await opened(new Map(), 'a');
    await log.append([operation('x', 1)]);
    const copy = copyOf(values);
    const after = await opened(copy, 'b', { write: () => Promise.reject(full) });
    expect(rowsIn(copy)).toHaveLength(1);
    expect(after.reports).toEqual([full]);
    expect(after.log.get('x')).toEqual(operation('x', 1).value);
    // A read must not answer without the acknowledged write.
    await expect(after.log.settle()).rejects.toBe(full);
    const preview = await after.log.preview();
    expect(await documentAt({ ...after.head, snapshot: preview }, 'x')).toBeDefined();
  });

  test('[R1] commits acknowledged writes that a crash left pending, in their order', async () => {
    const { log, values } = await opened(new Map(), 'a');
    for (const n of [1, 2, 3]) await log.append([operation('x', n), operation(`d${n}`, n)]);
    const after = await opened(copyOf(values), 'b');
    expect(await documentAt(after.head, 'x')).toEqual(operation('x', 3).value.bytes);
    expect(await documentAt(after.head, 'd1')).toEqual(operation('d1', 1).value.bytes);
    expect(rowsIn(after.values)).toEqual([]);
  });

  test('[R1] commits rows of an earlier tab that had the same name', async () => {
    const { log, values } = await opened(new Map(), 'a');
    await log.append([operation('x', 1)]);
    const after = await opened(copyOf(values), 'a');
    expect(await documentAt(after.head, 'x')).toEqual(operation('x', 1).value.bytes);
    expect(rowsIn(after.values)).toEqual([]);
  });

  test('[R4] rejects a damaged row', async () => {
    const values = new Map([[pendingKey('a', 0), Uint8Array.of(0xff)]]);
    await expect(opened(values, 'b')).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('[R9] commits the rows of a stopped process, but not those of a running one', async () => {
    const values = new Map<string, Uint8Array>();
    pendingIn(values, '1', 0, 'of 1', 1);
    pendingIn(values, '2', 0, 'of 2', 1);
    const { head } = await opened(values, '0', {
      writer: 0,
      isAlone: async () => false,
      ifAbandoned: async (writer, work) => {
        if (writer === 1) return false;
        await work();
        return true;
      },
    });
    expect(rowsIn(values)).toEqual([pendingKey('1', 0)]);
    expect(await documentAt(head, 'of 2')).toBeDefined();
    expect(await documentAt(head, 'of 1')).toBeUndefined();
  });
});

describe('a tab beside one that was closed', () => {
  test('[R9] finds a row that the closed tab stored after its last hint', async () => {
    const values = new Map<string, Uint8Array>();
    const [closed, open] = [await opened(values, 'a'), await opened(values, 'b')];
    open.log.noticed();
    await open.time.pass(100);
    await closed.log.append([operation('x', 1)]);
    await open.time.pass(1000);
    expect(rowsIn(values)).toEqual([]);
    expect(open.changes.at(-1)).toMatchObject({ origin: 'elsewhere', ids: ['x'] });
  });

  test.each([false, true])(
    '[R9] finds a commit of which it got no hint (commitEachWrite: %s)',
    async (commitEachWrite) => {
      const values = new Map<string, Uint8Array>();
      const [closed, open] = [await opened(values, 'a'), await opened(values, 'b', {}, commitEachWrite)];
      await closed.log.append([operation('x', 1)]);
      open.log.noticed();
      await closed.log.settle();
      await open.time.pass(1000);
      expect(await documentAt(open.head, 'x')).toEqual(operation('x', 1).value.bytes);
      expect(open.changes.at(-1)).toMatchObject({ origin: 'elsewhere', ids: ['x'] });
    },
  );

  test('[R9] looks again after a hint that arrives during its wait', async () => {
    const values = new Map<string, Uint8Array>();
    const [closed, open] = [await opened(values, 'a'), await opened(values, 'b')];
    open.log.noticed();
    await open.time.pass(900);
    open.log.noticed();
    await open.time.pass(200);
    await closed.log.append([operation('x', 1)]);
    await open.time.pass(1000);
    expect(rowsIn(values)).toEqual([]);
  });

  test('looks again after a failure, each time later', async () => {
    const values = new Map<string, Uint8Array>();
    const [closed, open] = [await opened(values, 'a'), await opened(values, 'b')];
    await closed.log.append([operation('x', 1)]);
    open.hooks.write = () => {
      throw full;
    };
    open.log.noticed();
    await open.time.pass(10_000);
    expect(open.reports).toEqual([full, full, full]);
    open.hooks.write = undefined;
    await open.time.pass(10_000);
    expect(rowsIn(values)).toEqual([]);
  });
});

describe('an open that commits each write', () => {
  test('[R9] commits rows that a closed tab left', async () => {
    const { log, values } = await opened(new Map(), 'a');
    await log.append([operation('x', 1)]);
    const after = await opened(copyOf(values), 'b', {}, true);
    expect(rowsIn(after.values)).toEqual([]);
    expect(await documentAt(after.head, 'x')).toEqual(operation('x', 1).value.bytes);
  });
});

describe('a tab that received no hint of another tab', () => {
  test('[R9] commits the rows of the other tab only if the caller asks for it', async () => {
    const values = new Map<string, Uint8Array>();
    const [other, tab] = [await opened(values, 'a'), await opened(values, 'b', {}, true)];
    await other.log.append([operation('x', 1)]);
    await tab.exclusive(() => tab.log.settleInTurn());
    expect(await documentAt(tab.head, 'x')).toBeUndefined();
    await tab.exclusive(() => tab.log.settleInTurn({ lookForOthers: true }));
    expect(await documentAt(tab.head, 'x')).toEqual(operation('x', 1).value.bytes);
  });
});

describe('an adoption of the rows of a process that stopped', () => {
  /** Opens process 0 beside process 1, which stops when the test says so. */
  async function besideAnother() {
    const values = new Map<string, Uint8Array>();
    const other = { isStopped: false, locked: 0 };
    const process = await opened(values, '0', {
      writer: 0,
      isAlone: async () => false,
      ifAbandoned: async (_, work) => {
        if (!other.isStopped) return false;
        other.locked += 1;
        await work();
        return true;
      },
    });
    const write = async (id: string, n: number) =>
      expect(await commit(process.head, [operation(id, n)])).toBe(true);
    return { ...process, other, write };
  }

  test('[P2] commits them as concurrent with the writes that their writer did not know', async () => {
    const { values, other, log, head, time, write, changes, reports } = await besideAnother();
    await write('before', 1);
    const known = head.snapshot.head;
    values.set(pendingKey('1', 0), encodePending([operation('x', 1), operation('y', 1)], known, 77));
    log.noticed();
    await time.pass(100);
    await write('x', 2);
    const later = head.snapshot.head;
    other.isStopped = true;
    await time.pass(1000);
    expect([rowsIn(values), reports]).toEqual([[], []]);
    expect(head.snapshot.head).toHaveLength(2);
    expect(head.snapshot.head).toEqual(expect.arrayContaining([...later]));
    const adopted = head.snapshot.head.find((cid) => !later.includes(cid)) as Cid;
    expect((await head.readers.event(adopted)).parents).toEqual(known);
    expect(changes.at(-1)).toMatchObject({ origin: 'elsewhere' });
    for (const id of ['before', 'y'])
      expect(await documentAt(head, id)).toEqual(operation(id, 1).value.bytes);
    // The archive of these writes is uploaded like the archives of other commits.
    expect(await head.archives.pending()).toContain(head.archives.placeOf(adopted)?.archive);
  });

  test('[R1] commits them on the current head if a compaction dropped the head that their writer knew', async () => {
    const { values, other, log, head, time, write } = await besideAnother();
    await write('before', 1);
    const dropped = sortHead([operation('x', 7).value.cid]);
    values.set(pendingKey('1', 0), encodePending([operation('x', 1)], dropped, 1));
    other.isStopped = true;
    log.noticed();
    await time.pass(1100);
    expect(rowsIn(values)).toEqual([]);
    expect(head.snapshot.head).toHaveLength(1);
    expect(await documentAt(head, 'x')).toEqual(operation('x', 1).value.bytes);
  });

  test('[P2] starts immediately if the caller asks for it', async () => {
    const { values, other, log, head } = await besideAnother();
    pendingIn(values, '1', 0, 'late', 1);
    other.isStopped = true;
    await log.adoptAbandoned();
    expect(await documentAt(head, 'late')).toBeDefined();
    expect(rowsIn(values)).toEqual([]);
  });

  test('[R9] waits for its turn, because the process does not seem alone during an adoption', async () => {
    const { values, other, log, time, exclusive } = await besideAnother();
    pendingIn(values, '1', 0, 'x', 1);
    other.isStopped = true;
    let release: () => void = () => undefined;
    const work = exclusive(
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    log.noticed();
    await time.pass(5000);
    expect(other.locked).toBe(0);
    release();
    await work;
    await time.pass(1);
    expect([other.locked, rowsIn(values)]).toEqual([1, []]);
  });
});

describe('a hint of another tab', () => {
  test('[R1] commits rows that are still pending a second later, because their tab was closed', async () => {
    const values = new Map<string, Uint8Array>();
    const { log, head, time, reports, changes } = await opened(values, 'a');
    pendingIn(values, 'closed', 0, 'x', 1);
    log.noticed();
    await time.pass(900);
    pendingIn(values, 'living', 0, 'y', 1);
    expect(rowsIn(values)).toHaveLength(2);
    await time.pass(200);
    expect(rowsIn(values)).toEqual([]);
    expect(await documentAt(head, 'x')).toBeDefined();
    expect(changes.map(({ origin }) => origin)).toContain('elsewhere');
    expect(reports).toEqual([]);
  });
});
