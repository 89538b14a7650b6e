import 'fake-indexeddb/auto';
import '../../lazy-open-chunk.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sha256 } from '../../codec/sha256.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { OPFS_KEY, openIndexedDbStore, openOwnDatabase } from '../browser/indexeddb-store.ts';
import { systemTime } from '../system.ts';
import { type LogState, openLog, readRow } from './opfs-log.ts';
import { MOVED_BYTES_MAX, moveRows, settleMove } from './opfs-migration.ts';
import { type SimulatedFiles, simulatedFiles } from './simulated-sync-files.fixture.ts';

const ROWS = 40;
let names = 0;
let name: string;
beforeEach(() => {
  names += 1;
  name = `fp.move-${names}`;
});

const random = seededRandom(5);
const partsOf = ({ files }: SimulatedFiles) => ({
  files,
  sha256,
  randomBytes: (count: number) => random.bytes(count),
  isStrict: true,
});
const filled = (n: number, length = n) => new Uint8Array(length).fill(n);

/** Stores rows of several lengths in IndexedDB: empty ones, too, and more than one batch. */
async function fill(): Promise<Map<string, Uint8Array>> {
  const store = await openIndexedDbStore(name, 'strict');
  const rows = new Map<string, Uint8Array>();
  for (let n = 0; n < ROWS; n++) rows.set(`row-${n}`, filled(n));
  rows.set('long', filled(7, 90_000));
  // IndexedDB stores long archives in parts.
  for (const n of [1, 2, 3]) rows.set(`car/long-${n}`, filled(n, 90_000 + n));
  await store.write([...rows].map(([key, bytes]) => ({ key, bytes })));
  await store.close();
  return rows;
}

const move = async (simulated: SimulatedFiles, time: Time = simulatedTime()) =>
  moveRows(name, openLog(partsOf(simulated), false), time);

/** Returns the rows that IndexedDB has, or undefined if it says that they are in OPFS. */
async function rowsInIndexedDb(): Promise<ReadonlyMap<string, Uint8Array> | undefined> {
  const store = await openIndexedDbStore(name, 'strict', true);
  const rows = await store.readPrefix('');
  await store.close();
  return rows.has(OPFS_KEY) ? undefined : rows;
}

const rowsIn = (log: LogState) =>
  new Map([...log.rows.keys()].map((key) => [key, readRow(log, key) as Uint8Array]));
const sorted = (rows: ReadonlyMap<string, Uint8Array>) => [...rows].sort(([a], [b]) => (a < b ? -1 : 1));

/** Calls `fn` before each call that the move makes to a file or to IndexedDB. */
function beforeEachCall(simulated: SimulatedFiles, fn: () => void): () => void {
  simulated.beforeCall = fn;
  const before = (target: object, method: string) => {
    const methods = target as Record<string, (...args: unknown[]) => unknown>;
    const original = methods[method] as (...args: unknown[]) => unknown;
    return vi.spyOn(methods, method).mockImplementation(function (this: unknown, ...args: unknown[]) {
      // The simulated IndexedDB itself starts these transactions.
      if (args[1] !== 'versionchange') fn();
      return original.apply(this, args);
    });
  };
  const spies = [
    before(IDBFactory.prototype, 'open'),
    before(IDBDatabase.prototype, 'transaction'),
    before(IDBObjectStore.prototype, 'getAll'),
    before(IDBObjectStore.prototype, 'getAllKeys'),
    before(IDBObjectStore.prototype, 'put'),
  ];
  return () => {
    for (const spy of spies) spy.mockRestore();
    simulated.beforeCall = () => undefined;
  };
}

test('[R2] keeps all rows in one place if the tab ends at any call of a move, and power is lost', async () => {
  let isOver = false;
  let moved = 0;
  for (let endsAt = 1; !isOver; endsAt++) {
    name = `${name}.`;
    const rows = await fill();
    const simulated = simulatedFiles();
    let calls = 0;
    const restore = beforeEachCall(simulated, () => {
      calls += 1;
      if (calls >= endsAt) throw new Error('the tab ended');
    });
    await move(simulated).catch(() => undefined);
    isOver = calls < endsAt;
    restore();
    const inPlace = await rowsInIndexedDb();
    if (inPlace !== undefined) {
      expect(sorted(inPlace)).toEqual(sorted(rows));
      await move(simulatedFiles());
      expect(await rowsInIndexedDb()).toBeUndefined();
      continue;
    }
    moved += 1;
    for (let times = 0; times < 10; times++)
      expect(sorted(rowsIn(openLog(partsOf(simulated.afterPowerLoss(random)), true)))).toEqual(sorted(rows));
  }
  expect(moved).toBeGreaterThan(0);
});

describe('a move while another tab has the database open in IndexedDB', () => {
  /** Writes and removes rows until a call rejects. Records what was acknowledged. */
  async function writeUntilClosed(store: ByteStore, rows: Map<string, Uint8Array>): Promise<unknown> {
    for (let n = 0; ; n++) {
      const [key, gone] = [`other-${n}`, `row-${n}`];
      const changes = [
        { key, bytes: filled(n % 256, 700) },
        ...(n % 3 === 0 ? [{ key: gone, bytes: undefined }] : []),
      ];
      try {
        await store.write(changes);
      } catch (cause) {
        return cause;
      }
      for (const { key, bytes } of changes)
        if (bytes === undefined) rows.delete(key);
        else rows.set(key, bytes);
    }
  }

  test('[R2] [R9] moves every acknowledged write, and then rejects calls with STORE_UNREADABLE', async () => {
    const rows = await fill();
    const other = await openIndexedDbStore(name, 'strict');
    const closed = new Promise((resolve) => other.onClosed?.(resolve));
    const before = rows.size;
    const writing = writeUntilClosed(other, rows);
    const simulated = simulatedFiles();
    await move(simulated);
    expect(await writing).toMatchObject({ code: 'STORE_UNREADABLE' });
    expect(await closed).toMatchObject({ code: 'STORE_UNREADABLE' });
    await expect(other.read('long')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    await expect(openIndexedDbStore(name, 'strict')).rejects.toMatchObject({ code: 'STORE_UNREADABLE' });
    expect(rows.size).toBeGreaterThan(before);
    for (let times = 0; times < 10; times++) {
      const log = openLog(partsOf(simulated.afterPowerLoss(random)), true);
      expect(sorted(rowsIn(log))).toEqual(sorted(rows));
    }
  });

  test('[R9] gives up with STORE_LOCKED if that tab does not close it, and changes nothing', async () => {
    const rows = await fill();
    const frozen = await openOwnDatabase(name);
    const soon = { ...simulatedTime(), after: (_: number, fn: () => void) => systemTime.after(0, fn) };
    await expect(move(simulatedFiles(), soon)).rejects.toMatchObject({ code: 'STORE_LOCKED' });
    frozen.close();
    expect(sorted((await rowsInIndexedDb()) ?? new Map())).toEqual(sorted(rows));
    const databases = await indexedDB.databases();
    expect(databases.find((one) => one.name === name)?.version).toBe(1);
  });

  test('[R9] stops if that tab deletes the database', async () => {
    await fill();
    const other = await openIndexedDbStore(name, 'strict');
    const moving = move(simulatedFiles());
    await other.destroy();
    await expect(moving).rejects.toMatchObject({
      code: 'STORE_FAILED',
    });
    expect((await indexedDB.databases()).filter((one) => one.name === name)).toEqual([]);
  });
});

test('[R3] rejects a move whose files return other bytes, and leaves the rows in IndexedDB', async () => {
  const rows = await fill();
  const simulated = simulatedFiles();
  const [first] = simulated.files.logs;
  const { read } = first;
  first.read = (into, at) => {
    const count = read(into, at);
    if (into.length === 30) into[0] = 99;
    return count;
  };
  await expect(move(simulated)).rejects.toMatchObject({ code: 'STORE_FAILED' });
  expect(sorted((await rowsInIndexedDb()) ?? new Map())).toEqual(sorted(rows));
});

test('[R10] rejects a move without space with STORE_FULL, and leaves the rows in IndexedDB', async () => {
  const rows = await fill();
  const simulated = simulatedFiles();
  simulated.limit = 50_000;
  await expect(move(simulated)).rejects.toMatchObject({ code: 'STORE_FULL' });
  expect(sorted((await rowsInIndexedDb()) ?? new Map())).toEqual(sorted(rows));
});

test('rejects a move of a database that is too large with LIMIT_REACHED, and changes nothing', async () => {
  const rows = await fill();
  const store = await openIndexedDbStore(name, 'strict');
  const large = filled(1, MOVED_BYTES_MAX);
  await store.write([{ key: 'row-large', bytes: large }]);
  await store.close();
  await expect(move(simulatedFiles())).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  expect((await rowsInIndexedDb())?.size).toBe(rows.size + 1);
});

describe('an open after a move', () => {
  const keysNow = async () => {
    const store = await openIndexedDbStore(name, 'strict', true);
    const [keys, place] = [await store.keys(''), await store.read(OPFS_KEY)];
    await store.close();
    return { keys, place: place as Uint8Array };
  };

  test('[R2] keeps the old rows for a minute, in which each open makes the move durable', async () => {
    const rows = await fill();
    const time = simulatedTime();
    await move(simulatedFiles(), time);
    const { place } = await keysNow();
    const asked = vi.spyOn(IDBDatabase.prototype, 'transaction');
    await settleMove(name, place, time);
    expect(asked.mock.calls).toEqual([['values', 'readwrite', { durability: 'strict' }]]);
    asked.mockRestore();
    expect((await keysNow()).keys).toHaveLength(rows.size + 1);
  });

  test('removes the old rows in a later open, also when the quota is full', async () => {
    await fill();
    const time = simulatedTime();
    await move(simulatedFiles(), time);
    const { place } = await keysNow();
    await time.pass(60_000);
    const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('simulated', 'QuotaExceededError');
    });
    await settleMove(name, place, time);
    full.mockRestore();
    expect(await keysNow()).toEqual({ keys: [OPFS_KEY], place });
    await settleMove(name, place, time);
    expect((await keysNow()).place).toHaveLength(4);
  });
});
