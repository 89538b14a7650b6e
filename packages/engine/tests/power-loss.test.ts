import { describe, expect, test } from 'vitest';
import type { ByteStore, Durability, StoreChange } from '../src/ports/byte-store.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { FOLDER, openOn } from './disk.fixture.ts';

const POINTS = budget({ commit: 20_000, night: 200_000, release: 1_000_000 });
const POINTS_PER_RUN = 500;

/**
 * A write of two keys, so that a test can detect a partial write. `acknowledgedAt` is the number of
 * disk calls before the store acknowledged the write.
 */
interface Write {
  readonly n: number;
  readonly acknowledgedAt: number;
}

const keysOf = (n: number) => [`a/${n}`, `car/${n}`];
/** Returns a value that is long enough to be stored in a separate file. */
const longOf = (n: number) => new Uint8Array(66_000).fill(n);

async function write(store: ByteStore, n: number, random: SeededRandom): Promise<void> {
  const changes: StoreChange[] = keysOf(n).map((key) => ({ key, bytes: random.bytes(random.below(700)) }));
  if (random.below(8) === 0) changes[1] = { key: `car/${n}`, bytes: longOf(n) };
  // Sometimes writes, replaces or removes a long value. The file of the value must exist as long as
  // its row exists.
  if (random.below(4) === 0) changes.push({ key: 'car/replaced', bytes: [longOf(n), undefined][n % 2] });
  await store.write([...changes, { key: 'last', bytes: Uint8Array.of(n) }]);
}

/** Runs one or two stores that write, close and open again. */
async function run(disk: SimulatedDisk, durability: Durability, writers: number, random: SeededRandom) {
  const writes: Write[] = [];
  let n = 0;
  for (let session = 0; session < 3; session++) {
    const stores: ByteStore[] = [];
    for (let at = 0; at < writers; at++) stores.push(await openOn(disk, durability));
    for (let step = random.below(8); step >= 0; step--) {
      const store = stores[random.below(writers)] as ByteStore;
      if (random.below(3) === 0) await store.refresh?.();
      await write(store, n, random);
      writes.push({ n, acknowledgedAt: disk.calls.length });
      n += 1;
    }
    if (random.below(4) > 0) for (const store of stores) await store.close();
    else return writes;
  }
  return writes;
}

/** Returns the numbers of the writes that a store contains. */
async function shown(store: ByteStore, writes: readonly Write[]): Promise<number[]> {
  const keys = new Set(await store.keys(''));
  const numbers: number[] = [];
  for (const { n } of writes) {
    const there = keysOf(n).filter((key) => keys.has(key)).length;
    expect(there, `write ${n} is there in part`).not.toBe(1);
    if (there === 2) numbers.push(n);
  }
  await store.readPrefix('');
  return numbers;
}

async function eachPoint(
  durability: Durability,
  writers: number,
  points: number,
  check: (numbers: number[], writes: readonly Write[], calls: number) => void,
): Promise<void> {
  const random = seededRandom(seed() + writers);
  for (let done = 0; done < points; done += POINTS_PER_RUN) {
    const disk = simulatedDisk();
    const writes = await run(disk, durability, writers, random);
    for (let point = 0; point < Math.min(POINTS_PER_RUN, points); point++) {
      const calls = random.below(disk.calls.length + 1);
      const after = disk.afterPowerLoss(calls, random);
      const store = await openOn(after, durability);
      check(await shown(store, writes), writes, calls);
      await write(store, 200, random);
      await store.close();
      const again = await openOn(after, durability);
      expect(await again.keys('a/200')).toEqual(['a/200']);
      await again.close();
    }
  }
}

const patience = patienceMs();

describe('power loss at any moment', () => {
  for (const [writers, share] of [
    [1, 0.5],
    [2, 0.4],
  ] as const)
    test(`[R2] loses no acknowledged write, leaves no partial write and continues to write (strict, ${writers} writers)`, {
      timeout: patience,
    }, async () => {
      await eachPoint('strict', writers, POINTS * share, (numbers, writes, calls) => {
        const acknowledged = writes.filter(({ acknowledgedAt }) => acknowledgedAt <= calls);
        const lost = acknowledged.filter(({ n }) => !numbers.includes(n));
        expect(lost).toEqual([]);
      });
    });

  test('[R2] loses only the latest writes in relaxed mode', { timeout: patience }, async () => {
    await eachPoint('relaxed', 1, POINTS * 0.1, (numbers) => {
      expect(numbers).toEqual(numbers.map((_, at) => at));
    });
  });

  test('[R2] leaves the complete old or new log if the log was being rewritten', {
    timeout: patience,
  }, async () => {
    const disk = simulatedDisk();
    const random = seededRandom(seed());
    const store = await openOn(disk);
    const acknowledged: [calls: number, n: number][] = [];
    for (let n = 1; n <= 6; n++) {
      const bytes = new Uint8Array(1_000_000).fill(n);
      await store.write([{ key: 'big', bytes }]);
      acknowledged.push([disk.calls.length, n]);
    }
    expect(disk.calls.filter(({ kind }) => kind === 'rename').length).toBeGreaterThan(1);
    for (let calls = 0; calls <= disk.calls.length; calls++) {
      const again = await openOn(disk.afterPowerLoss(calls, random));
      const least = acknowledged.findLast(([at]) => at <= calls)?.[1] ?? 0;
      const found = await again.read('big');
      expect(found?.[0] ?? 0).toBeGreaterThanOrEqual(least);
      expect(new Set(found).size).toBeLessThanOrEqual(1);
      await again.close();
    }
  });
});

test('[R2] makes data from a killed process or other processes durable before writing data that depends on it', async () => {
  const random = seededRandom(seed());
  for (let round = 0; round < 50; round++) {
    const disk = simulatedDisk();
    // In relaxed mode, writes are only in the memory of the operating system.
    const first = await openOn(disk, 'relaxed');
    await first.write([{ key: 'found', bytes: random.bytes(600) }]);
    disk.kill();
    const killedAt = disk.calls.length;
    const second = await openOn(disk, 'relaxed');
    const openedAt = disk.calls.length;
    await second.write([{ key: 'seen', bytes: random.bytes(600) }]);
    const third = await openOn(disk, 'strict');
    await second.write([{ key: 'later', bytes: random.bytes(600) }]);
    await third.refresh?.();
    await third.write([{ key: 'last', bytes: random.bytes(600) }]);
    for (let calls = killedAt; calls <= disk.calls.length; calls++) {
      const store = await openOn(disk.afterPowerLoss(calls, random));
      const keys = await store.keys('');
      if (calls >= openedAt) expect(keys).toContain('found');
      if (keys.includes('last')) expect(keys).toEqual(['found', 'last', 'later', 'seen']);
      await store.close();
    }
  }
});

test('[R2] makes the marker durable when a log is opened or closed, so a later loss is noticed', async () => {
  const random = seededRandom(seed());
  const disk = simulatedDisk();
  const path = `${FOLDER}/durable`;
  const expectKept = () => {
    const found = Array.from({ length: 50 }, () =>
      disk.afterPowerLoss(disk.calls.length, random).content().get(path),
    );
    // After a power loss, the marker's name may be missing from the folder. Without a marker, the
    // store assumes nothing about the log.
    const kept = found.filter((bytes) => bytes !== undefined);
    expect(kept.length).toBeGreaterThan(0);
    for (const bytes of kept) expect(bytes).toEqual(disk.content().get(path));
  };
  const first = await openOn(disk, 'relaxed');
  await first.write([{ key: 'found', bytes: random.bytes(600) }]);
  disk.kill();
  const second = await openOn(disk, 'relaxed');
  expectKept();
  await second.write([{ key: 'more', bytes: random.bytes(600) }]);
  await second.close();
  expectKept();
});

test('[R2] makes a long value and its file name durable before writing the row that points to the file', async () => {
  const disk = simulatedDisk();
  const store = await openOn(disk);
  await store.write([{ key: 'first', bytes: new Uint8Array() }]);
  const before = disk.calls.length;
  await store.write([{ key: 'car/long', bytes: longOf(1) }]);
  const calls = disk.calls.slice(before);
  const made = calls.findIndex((call) => call.kind === 'make' && call.path.includes('/files/'));
  const file = calls[made];
  const inode = file?.kind === 'make' ? file.inode : Number.NaN;
  const isOfFile = (call: (typeof calls)[number]) => 'inode' in call && call.inode === inode;
  const written = calls.findLastIndex((call) => call.kind === 'write' && isOfFile(call));
  const synced = calls.findIndex((call) => call.kind === 'sync' && isOfFile(call));
  const named = calls.findIndex((call) => call.kind === 'sync-folder' && call.folder.endsWith('/files'));
  const pointer = calls.findIndex((call) => call.kind === 'write' && !isOfFile(call));
  expect([made >= 0, written > made, synced > written, named > made]).toEqual([true, true, true, true]);
  expect(pointer).toBeGreaterThan(Math.max(synced, named));
  await store.close();
});

test('[R1] syncs the log after the last byte of a write, before acknowledging the write', async () => {
  const disk = simulatedDisk();
  const store = await openOn(disk);
  // The first pending row creates the last reserve. Later writes may extend the reserves.
  await store.write([{ key: 'first', bytes: new Uint8Array(), isPending: true }]);
  const reserves = new Set<unknown>(
    disk.calls.flatMap((call) => (call.kind === 'make' && call.path.includes('reserve') ? [call.inode] : [])),
  );
  expect(reserves.size).toBe(3);
  for (let n = 0; n < 20; n++) {
    const before = disk.calls.length;
    await store.write([{ key: 'k', bytes: new Uint8Array(10 ** (n % 6)) }]);
    const calls = disk.calls.slice(before).filter((call) => !('inode' in call && reserves.has(call.inode)));
    const kinds = calls.map(({ kind }) => kind);
    const synced = kinds.indexOf('sync');
    expect(synced).toBeGreaterThan(0);
    // The write after the sync is the marker, which records up to which byte the log is durable.
    expect([new Set(kinds.slice(0, synced)), kinds.slice(synced + 1)]).toEqual([
      new Set(['write']),
      ['write'],
    ]);
  }
  await store.close();
});
