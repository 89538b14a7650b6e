/** The contract of stores on a full disk as cases that any test runner can run. */
import { equalBytes } from '../base/bytes.ts';
import type { ByteStore, Guard } from '../ports/byte-store.ts';
import type { StoreCase, StorePlace } from './byte-store-cases.ts';

/** A place on a disk that can be filled, and that starts with 4 MB of free space or more. */
export interface FullDiskPlace extends StorePlace {
  /** Fills all free space of the disk. Returns a function that frees this space again. */
  fill(): Promise<() => Promise<void>>;
}

type Case = readonly [name: string, run: (place: FullDiskPlace) => Promise<void>];

/**
 * Returns the part of the contract of {@link ByteStore} that is about full disks: B5. A store
 * without a reserve doesn't meet it: then deletes fail on a full disk. Register each case as a test
 * of your runner.
 * @param newPlace returns a place without a store
 */
export function fullDiskCases(newPlace: () => Promise<FullDiskPlace>): readonly StoreCase[] {
  return CASES.map(([name, run]) => ({ name, run: async () => run(await newPlace()) }));
}

/** Writes that each need a little space. */
const FREEING_WRITES = 20;
const WRITES_MAX = 2000;
const SMALL = 1000;
const LARGE = 20_000;
/** The limit of one call of getRandomValues. */
const RANDOM_BYTES_MAX = 65_536;

/** The bytes are random, because some stores and file systems store zeros without using space. */
function filled(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += RANDOM_BYTES_MAX)
    crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES_MAX));
  return bytes;
}

function check(isKept: boolean, message: string): asserts isKept {
  if (!isKept) throw new Error(message);
}

async function codeOf(write: Promise<boolean>): Promise<unknown> {
  try {
    return await write;
  } catch (cause) {
    return (cause as { readonly code?: unknown }).code ?? cause;
  }
}

async function expectStored(store: ByteStore, key: string, bytes: Uint8Array): Promise<void> {
  const found = await store.read(key);
  check(found !== undefined && equalBytes(found, bytes), `${key} has other bytes`);
}

/** Writes until the store has no space. Returns what it stored under the keys. */
async function writeUntilFull(store: ByteStore): Promise<ReadonlyMap<string, Uint8Array>> {
  const stored = new Map<string, Uint8Array>();
  for (let at = 0; at < WRITES_MAX; at++) {
    const [key, bytes] = [`car/${at}`, filled(LARGE)];
    const code = await codeOf(store.write([{ key, bytes }]));
    if (code === 'STORE_FULL') return stored;
    check(code === true, `a write on a full disk ended with ${code}`);
    stored.set(key, bytes);
  }
  throw new Error(`the disk isn't full after ${WRITES_MAX} writes`);
}

const CASES: readonly Case[] = [
  [
    '[B5] rejects a write without space with STORE_FULL, changes nothing then, and reads',
    async (place) => {
      const store = await place.open();
      const kept = filled(SMALL);
      await store.write([{ key: 'kept', bytes: kept }]);
      const free = await place.fill();
      const stored = await writeUntilFull(store);
      const changes = [
        { key: 'kept', bytes: undefined },
        { key: 'car/long', bytes: filled(5 * LARGE) },
      ];
      check((await codeOf(store.write(changes))) === 'STORE_FULL', 'a write without space succeeded');
      await expectStored(store, 'kept', kept);
      for (const [key, bytes] of stored) await expectStored(store, key, bytes);
      check((await store.keys('')).length === stored.size + 1, 'a rejected write stored something');
      await free();
      check((await codeOf(store.write(changes))) === true, 'a write failed although there was space');
      await store.close();
    },
  ],

  [
    '[B5] completes writes that free space on a full disk, and others only once there is space',
    async (place) => {
      const store = await place.open();
      let head: Uint8Array | undefined;
      const freeing = async (frees: Guard['frees'], key: string, bytes: Uint8Array | undefined) => {
        const next = filled(SMALL);
        const changes = [
          { key, bytes },
          { key: 'head', bytes: next },
        ];
        const code = await codeOf(store.write(changes, { key: 'head', bytes: head, frees }));
        check(code === true, `a write that frees space (${frees}) ended with ${code}`);
        head = next;
      };
      await freeing(undefined, 'car/old', filled(10 * LARGE));
      const free = await place.fill();
      await writeUntilFull(store);
      const deletes = Array.from(
        { length: FREEING_WRITES },
        (_, at) => [`idx/${at}`, filled(SMALL)] as const,
      );
      for (const [key, bytes] of deletes) await freeing('later', key, bytes);
      const code = await codeOf(store.write([{ key: 'other', bytes: filled(LARGE) }]));
      check(code === 'STORE_FULL', `another write used the space of deletes: ${code}`);
      await freeing('now', 'car/old', undefined);
      for (const [key, bytes] of deletes) await expectStored(store, key, bytes);
      await free();
      check(await store.write([{ key: 'other', bytes: filled(LARGE) }]), 'a write failed');
      await store.close();
      const again = await place.open();
      for (const [key, bytes] of deletes) await expectStored(again, key, bytes);
      check((await again.read('car/old')) === undefined, 'a removed value is still stored');
      await again.close();
    },
  ],
];
