/**
 * Tests a log and its files on a disk where one call fails. Acknowledged writes must be kept, and
 * rejected writes must leave nothing behind.
 */
import { describe, expect, test } from 'vitest';
import { long } from '../../../../tests/budget.fixture.ts';
import type { ByteStore } from '../../../ports/byte-store.ts';
import type { FileSystem, OpenFile } from '../../../ports/file-system.ts';
import { type DiskFault, type SimulatedDisk, simulatedDisk } from '../../../testing/simulated-disk.ts';
import { logPath, readRow } from './log-files.ts';
import {
  afterCrash,
  FOLDER,
  failureOf,
  filled,
  isFilled,
  logOf,
  openOn,
  openOver,
  text,
} from './simulated-logs.fixture.ts';

const KINDS: readonly DiskFault['kind'][] = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'short'];

/**
 * Runs the work once for each of its disk calls and each kind of fault, and makes that call fail.
 * `prepare` creates the disk and returns the work.
 */
async function eachFault<T>(
  prepare: () => Promise<{ disk: SimulatedDisk; state: T; work: (state: T) => Promise<unknown> }>,
  check: (found: { disk: SimulatedDisk; state: T; failure: string | undefined; fault: DiskFault }) => unknown,
): Promise<void> {
  const healthy = await prepare();
  healthy.disk.fail(undefined);
  await healthy.work(healthy.state);
  const calls = healthy.disk.asked();
  expect(calls).toBeGreaterThan(5);
  for (const kind of KINDS)
    for (let nth = 0; nth < calls; nth++) {
      const { disk, state, work } = await prepare();
      const fault: DiskFault = { nth, lasts: false, kind };
      disk.fail(fault);
      const failure = await failureOf(work(state));
      disk.fail(undefined);
      await check({ disk, state, failure, fault });
    }
}

describe('a log that is rewritten on a failing disk', () => {
  /** A store whose log consists mostly of dead bytes. */
  async function worn() {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    await store.write([{ key: 'kept', bytes: text('kept') }]);
    for (let n = 1; n <= 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    return { disk, state: store, work: (given: ByteStore) => given.shrink?.() ?? Promise.resolve() };
  }

  test('[R3] keeps its content, and acknowledges nothing that would be lost, whichever call fails', async () => {
    await eachFault(worn, async ({ disk, state: store, failure, fault }) => {
      // A failed rewrite isn't reported, because no write of the caller failed.
      expect([fault, failure]).toEqual([fault, undefined]);
      expect([fault, isFilled(await store.read('big'), 60_000, 5)]).toEqual([fault, true]);
      const refused = await failureOf(store.write([{ key: 'after', bytes: text('after') }]));
      await failureOf(store.close());
      const found = await afterCrash(disk);
      expect([fault, isFilled(found.get('big'), 60_000, 5), found.get('kept')]).toEqual([
        fault,
        true,
        text('kept'),
      ]);
      expect([fault, refused, found.has('after')]).toEqual([fault, refused, refused === undefined]);
    });
  });

  test('[R11] is rewritten by the compaction that follows a failed one', async () => {
    const { disk, state: store } = await worn();
    disk.fail({ nth: 0, lasts: true, kind: 'ENOSPC' });
    await store.shrink?.();
    disk.fail(undefined);
    const length = logOf(disk).length;
    expect(length).toBeGreaterThan(300_000);
    for (let n = 0; n < 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    await store.shrink?.();
    expect(logOf(disk).length).toBeLessThan(length);
    expect(isFilled(await store.read('big'), 60_000, 4)).toBe(true);
    await store.close();
  });
});

describe('a log that is written on a failing disk', () => {
  test('[R3] [B1] [B2] stores nothing of a rejected write, and rejects no write that is on disk, whichever call fails', async () => {
    await eachFault(
      async () => {
        const disk = simulatedDisk();
        const store = await openOn(disk);
        const outcomes: (string | undefined)[] = [];
        // The first value is longer than the zeros written ahead. The second value fits into them.
        const values = [filled(70_000, 1), filled(10, 2)];
        const work = async () => {
          for (const bytes of values)
            outcomes.push(await failureOf(store.write([{ key: `k${outcomes.length}`, bytes }])));
        };
        return { disk, state: { store, outcomes }, work };
      },
      async ({ disk, state: { store, outcomes }, fault }) => {
        const acknowledged = outcomes.flatMap((failure, at) => (failure === undefined ? [`k${at}`] : []));
        expect([fault, await store.keys('')]).toEqual([fault, acknowledged]);
        expect([fault, [...(await afterCrash(disk)).keys()]]).toEqual([fault, acknowledged]);
      },
    );
  });

  test('[R3] [R4] retries a failed write of the marker with the next write', async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    await store.write([{ key: 'a', bytes: text('1') }]);
    // The record fits into the zeros written ahead, so the calls write the record, sync it, and
    // write the marker.
    disk.fail({ nth: 2, lasts: false, kind: 'EIO' });
    await store.write([{ key: 'b', bytes: text('2') }]);
    disk.fail(undefined);
    const shortenedBy = (content: ReadonlyMap<string, Uint8Array>, key: string) => {
      const log = content.get(logPath(FOLDER, 0)) as Uint8Array;
      return simulatedDisk(
        new Map(content).set(logPath(FOLDER, 0), log.slice(0, Buffer.from(log).lastIndexOf(key))),
      );
    };
    const unpromised = await openOn(shortenedBy(disk.content(), 'b'));
    expect(await unpromised.keys('')).toEqual(['a']);
    await unpromised.close();
    await store.write([{ key: 'c', bytes: text('3') }]);
    for (const key of ['c', 'b'])
      expect(await failureOf(openOn(shortenedBy(disk.content(), key)))).toBe('CORRUPT');
    await store.close();
  });
});

describe('a process that opens a folder in use on a failing disk', () => {
  test(
    "[R3] [R9] fails with a typed error, and doesn't block the first process or later ones",
    long,
    async () => {
      await eachFault(
        async () => {
          const disk = simulatedDisk();
          const first = await openOn(disk);
          await first.write([{ key: 'first', bytes: text('1') }]);
          let second: ByteStore | undefined;
          const work = async () => {
            second = await openOn(disk);
          };
          return { disk, state: { first, second: () => second }, work };
        },
        async ({ disk, state: { first, second }, failure, fault }) => {
          expect([fault, failure === undefined]).toEqual([fault, second() !== undefined]);
          await first.write([{ key: 'then', bytes: text('2') }]);
          const other = second() ?? (await openOn(disk));
          await other.refresh?.();
          expect([fault, await other.keys('')]).toEqual([fault, ['first', 'then']]);
          await other.write([{ key: 'other', bytes: text('3') }]);
          await first.refresh?.();
          expect([fault, await first.keys('')]).toEqual([fault, ['first', 'other', 'then']]);
          await Promise.all([first.close(), other.close()]);
          expect([fault, [...(await afterCrash(disk)).keys()].sort()]).toEqual([
            fault,
            ['first', 'other', 'then'],
          ]);
        },
      );
    },
  );
});

describe('a long value that is written on a failing disk', () => {
  const filesIn = (disk: SimulatedDisk) =>
    [...disk.content().keys()].filter((path) => path.startsWith(`${FOLDER}/files/`)).length;

  test('[R3] [R10] is stored completely or not at all, and the next process that writes removes leftover files', async () => {
    await eachFault(
      async () => {
        const disk = simulatedDisk();
        const store = await openOn(disk);
        await store.write([{ key: 'car/a', bytes: filled(70_000, 1) }]);
        const changes = [
          { key: 'car/a', bytes: filled(80_000, 2) },
          { key: 'car/b', bytes: filled(66_000, 3) },
        ];
        return { disk, state: store, work: (given: ByteStore) => given.write(changes) };
      },
      async ({ disk, state: store, failure, fault }) => {
        // A write that failed may be stored anyway, but only as a whole.
        const check = ([one, other]: readonly (Uint8Array | undefined)[]) => {
          const isDone = one?.[0] === 2;
          if (failure === undefined) expect([fault, isDone]).toEqual([fault, true]);
          expect([fault, isDone ? isFilled(one, 80_000, 2) : isFilled(one, 70_000, 1)]).toEqual([
            fault,
            true,
          ]);
          expect([fault, isDone ? isFilled(other, 66_000, 3) : other]).toEqual([
            fault,
            isDone ? true : undefined,
          ]);
        };
        check([await store.read('car/a'), await store.read('car/b')]);
        await failureOf(store.close());
        const found = await afterCrash(disk);
        check([found.get('car/a'), found.get('car/b')]);
        const later = await openOn(disk);
        await later.write([{ key: 'short', bytes: text('1') }]);
        await later.close();
        expect([fault, filesIn(disk)]).toEqual([fault, found.size]);
      },
    );
  });

  test('meets the condition of a write only if its bytes equal the expected bytes', async () => {
    const store = await openOn(simulatedDisk());
    const [before, after] = [filled(70_000, 1), filled(80_000, 2)];
    await store.write([{ key: 'car/a', bytes: before }]);
    const replace = (guarded: Uint8Array) =>
      store.write([{ key: 'car/a', bytes: after }], { key: 'car/a', bytes: guarded });
    expect(await replace(filled(70_000, 9))).toBe(false);
    expect(isFilled(await store.read('car/a'), 70_000, 1)).toBe(true);
    expect(await replace(before)).toBe(true);
    expect(isFilled(await store.read('car/a'), 80_000, 2)).toBe(true);
    await store.close();
  });

  test('is read from disk to check the condition of a write, unless it is in memory', async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    await store.write([{ key: 'k', bytes: filled(2000, 1) }]);
    const replace = (guarded: Uint8Array) =>
      store.write([{ key: 'k', bytes: filled(2000, 2) }], { key: 'k', bytes: guarded });
    expect(await replace(filled(2000, 9))).toBe(false);
    expect(await replace(filled(2000, 1))).toBe(true);
    await store.close();
  });
});

describe('a log that one process has open', () => {
  test('[R4] is reported as CORRUPT if it was replaced by a copy from before a rewrite', async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    for (let n = 0; n < 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    const older = logOf(disk);
    await store.shrink?.();
    await store.write([{ key: 'acknowledged', bytes: text('1') }]);
    await store.close();
    const content = new Map(disk.content()).set(logPath(FOLDER, 0), older);
    expect(await failureOf(openOn(simulatedDisk(content)))).toBe('CORRUPT');
  });

  test("[R3] isn't rewritten while its content on disk is unknown", async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    for (let n = 0; n < 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    // A write into the zeros written ahead is one call, and its sync is the next call.
    disk.fail({ nth: 1, lasts: false, kind: 'EIO' });
    expect(await failureOf(store.write([{ key: 'lost', bytes: text('1') }]))).toBe('STORE_FAILED');
    disk.fail(undefined);
    const before = disk.calls.length;
    await store.shrink?.();
    expect(disk.calls.length).toBe(before);
    await store.close();
  });

  test('is read at one point in time: a concurrent removal waits until all rows are read', async () => {
    const disk = simulatedDisk();
    const waiting: (() => void)[] = [];
    let isGated = false;
    const gated: FileSystem = {
      ...disk.files,
      open: async (...given) => {
        const file = await disk.files.open(...given);
        const read: OpenFile['read'] = async (...asked) => {
          if (isGated) await new Promise<void>((resolve) => void waiting.push(resolve));
          return file.read(...asked);
        };
        return { ...file, read };
      },
    };
    const store = await openOver(gated);
    for (const key of ['k/1', 'k/2']) await store.write([{ key, bytes: filled(2000, 1) }]);
    isGated = true;
    const reading = store.readPrefix('k/');
    while (waiting.length === 0) await Promise.resolve();
    isGated = false;
    const removing = store.write([{ key: 'k/2', bytes: undefined }]);
    for (const go of waiting) go();
    expect([...(await reading).keys()]).toEqual(['k/1', 'k/2']);
    await removing;
    expect([...(await store.readPrefix('k/')).keys()]).toEqual(['k/1']);
    await store.close();
  });

  test('returns a whole value even if each call to the file returns only a part of it', async () => {
    const bytes = Uint8Array.from({ length: 100 }, (_, at) => at);
    const file = {
      read: async (into: Uint8Array, at: number) => {
        const some = bytes.subarray(at, Math.min(at + 7, at + into.length));
        into.set(some);
        return some.length;
      },
    } as unknown as OpenFile;
    expect(await readRow({ file, offset: 10, length: 50 })).toEqual(bytes.slice(10, 60));
    expect(await failureOf(readRow({ file, offset: 80, length: 50 }))).toBe('CORRUPT');
  });
});
