/** Logs and files on a disk that fails at one of its calls: what was acknowledged is there, what was refused leaves nothing behind. */
import { isFixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { FileSystem, OpenFile } from '../../ports/file-system.ts';
import { type DiskFault, type SimulatedDisk, simulatedDisk } from '../../testing/simulated-disk.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { HEADER_BYTES } from './log-format.ts';
import { openNodeStore } from './node-store.ts';
import { logPath, readRow } from './own-log.ts';

const FOLDER = '/disk/db';
const KINDS: readonly DiskFault['kind'][] = ['EIO', 'ENOSPC', 'EACCES', 'EMFILE', 'short'];

const reports: unknown[] = [];
const openOver = (files: FileSystem): Promise<ByteStore> =>
  openNodeStore(FOLDER, 'strict', files, simulatedTime(), (error) => void reports.push(error));
const openOn = (disk: SimulatedDisk) => openOver(disk.files);
const filled = (length: number, fill: number) => new Uint8Array(length).fill(fill);
/** Whether these are so many bytes of one kind; a comparison of long values one by one would take long. */
const isFilled = (bytes: Uint8Array | undefined, length: number, fill: number) =>
  bytes !== undefined && Buffer.compare(bytes, filled(length, fill)) === 0;
const text = (value: string) => Uint8Array.from(Buffer.from(value));
const logOf = (disk: SimulatedDisk, slot = 0) => disk.content().get(logPath(FOLDER, slot)) as Uint8Array;

/** The code of the failure; undefined when there was none. An error of another kind is thrown. */
async function failureOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (cause) {
    if (!isFixpointError(cause)) throw cause;
    return cause.code;
  }
}

/** Each call of some work on a disk, failing once in each way. `prepare` makes the disk and gives the work. */
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

/** All that is stored, as a process finds it that opens the folder after a crash. */
async function afterCrash(disk: SimulatedDisk): Promise<ReadonlyMap<string, Uint8Array>> {
  disk.kill();
  const store = await openOn(disk);
  const all = await store.readPrefix('');
  await store.close();
  return all;
}

describe('a log that is rewritten on a failing disk', () => {
  /** A store whose log is mostly dead. */
  async function worn() {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    await store.write([{ key: 'kept', bytes: text('kept') }]);
    for (let n = 1; n <= 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    return { disk, state: store, work: (given: ByteStore) => given.shrink?.() ?? Promise.resolve() };
  }

  test('[R3] keeps what it had, and acknowledges nothing that would be lost, whichever call fails', async () => {
    await eachFault(worn, async ({ disk, state: store, failure, fault }) => {
      // It is no failure of anything that was asked for.
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

  test('[R11] goes on growing, and is rewritten once it has grown as much again', async () => {
    const { disk, state: store } = await worn();
    const shrunk = async () => {
      const before = disk.asked();
      await store.shrink?.();
      return disk.asked() > before;
    };
    disk.fail({ nth: 0, lasts: true, kind: 'ENOSPC' });
    await store.shrink?.();
    disk.fail(undefined);
    const length = logOf(disk).length;
    expect(length).toBeGreaterThan(300_000);
    expect(await shrunk()).toBe(false);
    for (let n = 0; n < 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    expect(await shrunk()).toBe(true);
    expect(logOf(disk).length).toBeLessThan(length);
    expect(isFilled(await store.read('big'), 60_000, 4)).toBe(true);
    await store.close();
  });
});

describe('a log that is written on a failing disk', () => {
  test('[R3] [B1] [B2] a refused write wrote nothing, and one that is on the disk is not refused, whichever call fails', async () => {
    await eachFault(
      async () => {
        const disk = simulatedDisk();
        const store = await openOn(disk);
        const outcomes: (string | undefined)[] = [];
        // The first one takes more than the zeros ahead, the second one fits into them.
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

  test('[R3] [R4] a promise that could not be written is made by the next write', async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    await store.write([{ key: 'a', bytes: text('1') }]);
    // Within the zeros ahead: the record, its sync, the marker.
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

describe('a process that comes to a folder in use on a failing disk', () => {
  test('[R3] [R9] is refused by a typed error, and hinders neither the first one nor those that come later', async () => {
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
  });
});

describe('a long value that is written on a failing disk', () => {
  const filesIn = (disk: SimulatedDisk) =>
    [...disk.content().keys()].filter((path) => path.startsWith(`${FOLDER}/files/`)).length;

  test('[R3] [R10] is there whole, or the one before is; what is left of it is removed at a later open', async () => {
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
        // What failed may have been done all the same, as a whole.
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
        expect([fault, filesIn(disk)]).toEqual([fault, found.size]);
      },
    );
  });

  test('a guard over it holds for these very bytes alone', async () => {
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

  test('a guard over a value that is not kept in memory reads it', async () => {
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

describe('what logs say of each other', () => {
  test.each([
    ['has it', false],
    ['was rewritten and has it', true],
  ])(
    '[R2] a record is taken only with what it builds on, though the log that %s cannot be read now',
    async (_, isRewritten) => {
      const disk = simulatedDisk();
      let isFailing = false;
      const failing: FileSystem = {
        ...disk.files,
        readFile: async (path) => {
          if (isFailing && path === `${FOLDER}/durable-1`)
            throw Object.assign(new Error('EIO: simulated'), { code: 'EIO' });
          return disk.files.readFile(path);
        },
      };
      const [first, second, third] = [await openOn(disk), await openOn(disk), await openOver(failing)];
      await first.refresh?.();
      for (let n = 0; n < 5; n++) await second.write([{ key: 'big', bytes: filled(60_000, n) }]);
      await third.refresh?.();
      if (isRewritten) await second.shrink?.();
      await second.write([{ key: 'ground', bytes: text('1') }]);
      await first.refresh?.();
      await first.write([{ key: 'built', bytes: text('2') }]);
      isFailing = true;
      expect(await failureOf(third.refresh?.() ?? Promise.resolve())).toBe('STORE_FAILED');
      expect(await third.keys('')).toEqual(['big']);
      isFailing = false;
      expect(await third.refresh?.()).toBe(true);
      expect(await third.keys('')).toEqual(['big', 'built', 'ground']);
      for (const store of [first, second, third]) await store.close();
    },
  );

  test.each([
    [0, 1],
    [1, 0],
  ])(
    '[R9] what log %d restates of log %d takes its place, and hides nothing that is put there meanwhile',
    async (a, b) => {
      const disk = simulatedDisk();
      const stores = [await openOn(disk), await openOn(disk)];
      const [restating, other] = [stores[a], stores[b]] as [ByteStore, ByteStore];
      const restate = async (bytes: string, said: string) => {
        const guard = { key: 'k', bytes: text(bytes), isRestated: true };
        expect(await restating.write([{ key: 'k', bytes: text(said) }], guard)).toBe(true);
      };
      const shows = async (said: string) => {
        for (const store of stores) {
          await store.refresh?.();
          expect(await store.read('k')).toEqual(text(said));
        }
      };
      await other.write([{ key: 'k', bytes: text('1') }]);
      await restating.refresh?.();
      await restate('1', 'one');
      await shows('one');
      await restate('one', 'uno');
      await shows('uno');
      await other.write([{ key: 'k', bytes: text('meanwhile') }]);
      await restate('uno', 'un');
      await shows('meanwhile');
      // Its own row is there, too, and older.
      await restate('meanwhile', 'pendant');
      await shows('pendant');
      await other.write([{ key: 'k', bytes: text('2') }], { key: 'k', bytes: text('pendant') });
      await shows('2');
      for (const store of stores) await store.close();
    },
  );

  test('[R2] that a row of another log was removed is said as long as that row is there, also by a rewritten log', async () => {
    const disk = simulatedDisk();
    const [first, second] = [await openOn(disk), await openOn(disk)];
    await first.write([
      { key: 'removed', bytes: text('1') },
      { key: 'kept', bytes: text('1') },
    ]);
    await second.refresh?.();
    await second.write([{ key: 'removed', bytes: undefined }]);
    const rewritten = async (store: ByteStore, slot: number) => {
      for (let n = 0; n < 5; n++) await store.write([{ key: `big-${slot}`, bytes: filled(60_000, n) }]);
      const before = logOf(disk, slot).length;
      await store.shrink?.();
      expect(logOf(disk, slot).length).toBeLessThan(before);
    };
    await rewritten(second, 1);
    await first.refresh?.();
    expect(await first.keys('')).toEqual(['big-1', 'kept']);
    expect([...(await afterCrash(disk.withContent(disk.content()))).keys()].sort()).toEqual([
      'big-1',
      'kept',
    ]);
    // The first log drops the row, and then the second what it said of it.
    await rewritten(first, 0);
    await second.refresh?.();
    await rewritten(second, 1);
    expect(Buffer.from(logOf(disk, 1)).includes('gone/0/removed')).toBe(false);
    await first.refresh?.();
    expect(await first.keys('')).toEqual(['big-0', 'big-1', 'kept']);
    await Promise.all([first.close(), second.close()]);
  });

  test('[R4] a log from before it was rewritten is an older copy, not the log', async () => {
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

  test('[R3] a log of which nobody knows what is on the disk is not rewritten', async () => {
    const disk = simulatedDisk();
    const store = await openOn(disk);
    for (let n = 0; n < 5; n++) await store.write([{ key: 'big', bytes: filled(60_000, n) }]);
    // Within the zeros ahead a write is one call, and its sync the next one.
    disk.fail({ nth: 1, lasts: false, kind: 'EIO' });
    expect(await failureOf(store.write([{ key: 'lost', bytes: text('1') }]))).toBe('STORE_FAILED');
    disk.fail(undefined);
    const before = disk.calls.length;
    await store.shrink?.();
    expect(disk.calls.length).toBe(before);
    await store.close();
  });

  test('each other log is watched once, however long, and no longer than it is asked for', async () => {
    const disk = simulatedDisk();
    const time = simulatedTime();
    const watched = new Map<string, number>();
    const files: FileSystem = {
      ...disk.files,
      watch: (path) => {
        watched.set(path, (watched.get(path) ?? 0) + 1);
        return () => void watched.set(path, (watched.get(path) ?? 0) - 1);
      },
    };
    const store = await openNodeStore(FOLDER, 'strict', files, time, (error) => void reports.push(error));
    const other = await openOn(disk);
    const stop = store.watch?.(() => undefined);
    await store.refresh?.();
    await time.pass(1000);
    expect(watched).toEqual(new Map([[logPath(FOLDER, 1), 1]]));
    stop?.();
    await time.pass(1000);
    expect(watched).toEqual(new Map([[logPath(FOLDER, 1), 0]]));
    await Promise.all([store.close(), other.close()]);
  });

  test('many rows are read as they are at one time: what is removed meanwhile is removed after that', async () => {
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

  test('[R4] a log that becomes shorter than its header while it is followed is CORRUPT', async () => {
    const disk = simulatedDisk();
    const [first, second] = [await openOn(disk), await openOn(disk)];
    await second.write([{ key: 'a', bytes: text('1') }]);
    const short = new Map(disk.content());
    short.set(logPath(FOLDER, 1), logOf(disk, 1).slice(0, HEADER_BYTES - 1));
    const damaged = simulatedDisk(short);
    expect(await failureOf(openOn(damaged))).toBe('CORRUPT');
    await Promise.all([first.close(), second.close()]);
  });

  test('a value is read whole from a file that gives a part at a time', async () => {
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
