/**
 * A store restates a row when it writes the same content in a different form. Stores of one folder
 * must return the same content whether or not rows were restated.
 */
import { expect, test } from 'vitest';
import { openLogStore } from '../src/platform/node/log/log-store.ts';
import type { ByteStore, StoreChange } from '../src/ports/byte-store.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedDisk, simulatedDisk } from '../src/testing/simulated-disk.ts';
import { simulatedTime } from '../src/testing/simulated-time.ts';
import { budget, patienceMs, seed } from './budget.fixture.ts';
import { FOLDER, openOn } from './disk.fixture.ts';

const RUNS = budget({ commit: 200, night: 10_000, release: 40_000 });
/** Share of the runs with long values, which are slow because each value is a separate file. */
const FILE_RUNS_SHARE = 0.04;
const STEPS = 60;
/**
 * Only store N writes the row `head/N`. Archives have the same content no matter which store writes
 * them.
 */
const KEYS = ['head/0', 'head/1', 'head/2', 'car/short'];
const KEYS_WITH_LONG = [...KEYS, 'car/long'];

/**
 * Encodes a number. The same number has many forms. Values of `car/long` are stored as separate
 * files.
 */
function said(key: string, content: number, form: number): Uint8Array {
  const bytes = new Uint8Array(key === 'car/long' ? 65_536 : 9);
  new DataView(bytes.buffer).setUint32(0, content);
  new DataView(bytes.buffer).setUint32(4, form);
  return bytes;
}

const contentOf = (bytes: Uint8Array | undefined): number | undefined =>
  bytes && new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);

async function restate(store: ByteStore, key: string, form: number): Promise<void> {
  const bytes = await store.read(key);
  const content = contentOf(bytes);
  if (bytes === undefined || content === undefined) return;
  const guard = { key, bytes, isRestated: true };
  const isDone = await store.write([{ key, bytes: said(key, content, form) }], guard);
  expect(await store.read(key)).toEqual(isDone ? said(key, content, form) : bytes);
}

/** Returns a write of the key, or of the writer's own head if the key is a head. */
const writeOf = (key: string, writer: number, step: number): StoreChange => {
  if (!key.startsWith('head/')) return { key, bytes: said(key, 7, 0) };
  return { key: `head/${writer}`, bytes: said(key, step, 0) };
};

type Open = (disk: SimulatedDisk) => Promise<ByteStore>;
/**
 * Opens a log store without separate files for long values. A store that misses a file first reads
 * the logs of other processes, so its results might differ.
 */
const openLog: Open = ({ files }) => openLogStore(FOLDER, 'strict', files, simulatedTime());

/**
 * Runs three stores. Returns their contents after each step, the final contents of each store, and
 * the contents of a store that is opened afterwards.
 */
async function run(
  random: SeededRandom,
  open: Open,
  keys: readonly string[],
  restates: boolean,
): Promise<unknown[]> {
  const disk = simulatedDisk();
  const stores = [await open(disk), await open(disk), await open(disk)];
  const told: unknown[] = [];
  for (let step = 1; step <= STEPS; step++) {
    const writer = random.below(stores.length);
    const store = stores[writer] as ByteStore;
    const kind = random.below(10);
    const key = keys[random.below(keys.length)] as string;
    if (kind < 2) await store.write([writeOf(key, writer, step)]);
    else if (kind < 3) await store.write([{ key, bytes: undefined }]);
    else if (kind < 6 && restates) await restate(store, key, step);
    else if (kind === 6) await store.shrink?.();
    else if (kind > 6) await store.refresh?.();
    told.push(await Promise.all(stores.map((one) => contentsOf(one, keys))));
  }
  for (const store of stores) await store.refresh?.();
  for (const store of stores) told.push(await contentsOf(store, keys));
  for (const store of stores) await store.close();
  const again = await open(disk);
  told.push(await contentsOf(again, keys));
  await again.close();
  return told;
}

const contentsOf = async (store: ByteStore, keys: readonly string[]) => {
  const contents: [string, number | undefined][] = [];
  for (const key of keys) contents.push([key, contentOf(await store.read(key))]);
  return contents;
};

test('[R9] returns the same content to every process when rows are restated', {
  timeout: patienceMs(),
}, async () => {
  for (let n = 0; n < RUNS; n++) {
    const plain = await run(seededRandom(seed() + n), openLog, KEYS, false);
    expect(await run(seededRandom(seed() + n), openLog, KEYS, true), `run ${n}`).toEqual(plain);
  }
});

test('[R9] removes no file that a restated row points to', { timeout: patienceMs() }, async () => {
  for (let n = 0; n < RUNS * FILE_RUNS_SHARE; n++) {
    const told = await run(seededRandom(seed() + n), openOn, KEYS_WITH_LONG, true);
    const [first, ...others] = told.slice(-4);
    expect(others, `run ${n}`).toEqual([first, first, first]);
  }
});
