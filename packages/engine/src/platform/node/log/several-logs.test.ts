/** Tests records that depend on records in other logs of the folder. */
import { describe, expect, test } from 'vitest';
import type { ByteStore } from '../../../ports/byte-store.ts';
import type { FileSystem } from '../../../ports/file-system.ts';
import { simulatedDisk } from '../../../testing/simulated-disk.ts';
import { simulatedTime } from '../../../testing/simulated-time.ts';
import { logPath } from './log-files.ts';
import { HEADER_BYTES } from './log-format.ts';
import {
  afterCrash,
  FOLDER,
  failureOf,
  filled,
  logOf,
  openOn,
  openOver,
  text,
} from './simulated-logs.fixture.ts';

describe('references between logs', () => {
  test.each([
    ['is unreadable', false],
    ['was rewritten and is unreadable', true],
  ])(
    '[R2] applies a record only after the records that it builds on, even if the log of those records %s',
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
    '[R9] lets a row of log %d replace the row of log %d that it restates, but not a later row of that log',
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
      // The restating log also has an older row of its own.
      await restate('meanwhile', 'pendant');
      await shows('pendant');
      await other.write([{ key: 'k', bytes: text('2') }], { key: 'k', bytes: text('pendant') });
      await shows('2');
      for (const store of stores) await store.close();
    },
  );

  test("[R2] keeps the removal of another log's row as long as that row exists, even when the log is rewritten", async () => {
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
    // The first log drops the row. Then the second log drops the removal of that row.
    await rewritten(first, 0);
    await second.refresh?.();
    await rewritten(second, 1);
    expect(Buffer.from(logOf(disk, 1)).includes('gone/0/removed')).toBe(false);
    await first.refresh?.();
    expect(await first.keys('')).toEqual(['big-0', 'big-1', 'kept']);
    await Promise.all([first.close(), second.close()]);
  });

  test('watches each log of another process only once, and only until the watch is stopped', async () => {
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
    const store = await openOver(files, time);
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

  test('[R4] reports the log of another process as CORRUPT if that log is shorter than a header', async () => {
    const disk = simulatedDisk();
    const [first, second] = [await openOn(disk), await openOn(disk)];
    await second.write([{ key: 'a', bytes: text('1') }]);
    const short = new Map(disk.content());
    short.set(logPath(FOLDER, 1), logOf(disk, 1).slice(0, HEADER_BYTES - 1));
    const damaged = simulatedDisk(short);
    expect(await failureOf(openOn(damaged))).toBe('CORRUPT');
    await Promise.all([first.close(), second.close()]);
  });
});

describe('a condition that covers all logs', () => {
  test('[R9] lets only one of three processes create a row, even if none has read the logs of the others', async () => {
    const disk = simulatedDisk();
    const stores = [await openOn(disk), await openOn(disk), await openOn(disk)];
    const guard = { key: 'once', bytes: undefined, coversAll: true };
    const writes = stores.map((store, n) => store.write([{ key: 'once', bytes: text(`${n}`) }], guard));
    expect(await Promise.all(writes)).toEqual([true, false, false]);
    for (const store of stores) expect(await store.read('once')).toEqual(text('0'));
    // Callers of `refresh` must still notice the rows that a condition applied.
    expect(await Promise.all(stores.map((store) => store.refresh?.()))).toEqual([true, true, true]);
    expect(await Promise.all(stores.map((store) => store.refresh?.()))).toEqual([false, false, false]);
    for (const store of stores) await store.close();
  });

  test('rejects a write after another process removed the store', async () => {
    const disk = simulatedDisk();
    const [store, other] = [await openOn(disk), await openOn(disk)];
    await other.destroy();
    const write = store.write([{ key: 'k', bytes: text('1') }], {
      key: 'k',
      bytes: undefined,
      coversAll: true,
    });
    expect(await failureOf(write)).toBe('DATABASE_CLOSED');
  });
});
