/**
 * Databases over one in-memory store, in simulated time, as browser tabs would open them. A test
 * can damage the store and restore it.
 */
import './loaded-ahead.fixture.ts';
import './sync-crypto.fixture.ts';
import type { MapFunction } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryKeyBag } from '../src/platform/memory-platform.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import type { ByteStore, StoreChange } from '../src/ports/byte-store.ts';
import type { KeyMaterials } from '../src/ports/key-bag.ts';
import type { Platform } from '../src/ports/platform.ts';
import { seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedTime, simulatedTime } from '../src/testing/simulated-time.ts';

export type Values = Map<string, Uint8Array>;

export interface IndexWorld {
  readonly time: SimulatedTime;
  readonly values: Values;
  readonly reports: unknown[];
  /** The keys of all reads. `writes` contains the changes of all writes. */
  readonly reads: string[];
  readonly writes: (readonly StoreChange[])[];
  /** Is called before each read. */
  beforeRead: (key: string) => Promise<unknown> | undefined;
  /** Is called before each write. A test makes a write fail by throwing. */
  beforeWrite: (changes: readonly StoreChange[]) => void;
  readonly bag: Map<string, KeyMaterials>;
  readonly platform: (time?: Platform['time']) => Platform;
}

export const NAME = 'db';

export function indexWorld(values: Values = new Map(), bag = new Map<string, KeyMaterials>()): IndexWorld {
  const time = simulatedTime();
  const random = seededRandom(1);
  const hints = new Map<Platform, () => void>();
  const here: IndexWorld = {
    time,
    values,
    reports: [],
    reads: [],
    writes: [],
    beforeRead: () => undefined,
    beforeWrite: () => undefined,
    bag,
    platform: (ownTime = time) => {
      const platform: Platform = {
        openStore: async () => watched(memoryStore(values), here),
        keyBag: memoryKeyBag(bag),
        time: ownTime,
        random,
        network: { fetch: () => Promise.reject(new Error('offline')) } as unknown as Platform['network'],
        channel: () => ({
          post: () => {
            for (const [other, hint] of hints) if (other !== platform) hint();
          },
          onHint: (listener) => {
            hints.set(platform, listener);
            return () => void hints.delete(platform);
          },
          close: () => void hints.delete(platform),
        }),
        report: (error) => void here.reports.push(error),
        storageUrl: undefined,
      };
      return platform;
    },
  };
  return here;
}

function watched(store: ByteStore, here: IndexWorld): ByteStore {
  return {
    ...store,
    read: async (key) => {
      here.reads.push(key);
      await here.beforeRead(key);
      return store.read(key);
    },
    write: async (changes, guard) => {
      here.beforeWrite(changes);
      const done = await store.write(changes, guard);
      if (done) here.writes.push(changes);
      return done;
    },
  };
}

export const openIn = (here: IndexWorld, time?: Platform['time']) => openDatabase(NAME, here.platform(time));

export const copyOf = (values: Values): Values =>
  new Map([...values].map(([key, bytes]) => [key, bytes.slice()]));

/** Returns the keys of stored index rows. */
export const indexRows = (values: Values): string[] =>
  [...values.keys()].filter((key) => key.startsWith('local/index/'));

/**
 * Returns a map function that is identified by `text`, and a list to which it adds the id of each
 * document that it maps.
 */
export function spy(text: string, map: MapFunction): { readonly map: MapFunction; readonly seen: string[] } {
  const seen: string[] = [];
  const watchedMap: MapFunction = (doc: { _id: string }, emit) => {
    seen.push(doc._id);
    return map(doc, emit);
  };
  return { seen, map: Object.assign(watchedMap, { toString: () => text }) };
}
