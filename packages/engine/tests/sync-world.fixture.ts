/** Replicas, their network lines and a gateway, all in simulated time. */
import './sync-crypto.fixture.ts';
import './loaded-ahead.fixture.ts';
import type { ClockEvent } from '../src/clock/event.ts';
import type { Cid } from '../src/codec/cid.ts';
import type { Core, HistoryOption } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { acquireCore, releaseCore } from '../src/database/open-core.ts';
import { memoryKeyBag } from '../src/platform/memory-platform.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import type { Channel } from '../src/ports/channel.ts';
import type { OpeningLimits } from '../src/ports/opening-limits.ts';
import type { Platform } from '../src/ports/platform.ts';
import type { Attached, CloudOptions } from '../src/sync/remote.ts';
import { toCloud } from '../src/sync/to-cloud.ts';
import { type TestGateway, testGateway } from '../src/testing/memory-gateway.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { type LineOptions, type SimulatedLine, simulatedLine } from '../src/testing/simulated-network.ts';
import { type SimulatedTime, simulatedTime } from '../src/testing/simulated-time.ts';
import { EAGER_LIMITS } from './eager-limits.fixture.ts';

export interface Replica {
  readonly db: Database;
  readonly line: SimulatedLine;
  readonly reports: unknown[];
  attach(options?: Partial<CloudOptions>): Promise<Attached>;
  /** Returns the trie root of the current head. */
  root(): Promise<string | undefined>;
  /** Opens another tab on the same store, with a separate line. */
  tab(): Replica;
  /** Closes the database and opens it again from the stored data. */
  reopen(): Promise<Replica>;
  /**
   * Ends the process abruptly: from then on, it stores and sends nothing. Returns a new process on
   * the same store.
   */
  crash(): Replica;
  /** Returns all events of the clock, from the head back to the genesis event. */
  events(): Promise<ReadonlyMap<Cid, ClockEvent>>;
}

/** The environment in which replicas run. */
export interface Surroundings extends LineOptions {
  readonly time: SimulatedTime;
  /** The ledger to which replicas attach by default. */
  readonly cloud: CloudOptions;
  /**
   * How far the device's clock is ahead, in ms. This is a function if the difference changes while
   * the database is open.
   */
  readonly aheadMs?: number | (() => number);
  /** The amount of history that a compaction keeps. */
  readonly history?: HistoryOption | undefined;
  readonly commitEachWrite?: boolean | undefined;
  /** When replicas store the rows that make opens quick. */
  readonly openingLimits?: OpeningLimits | undefined;
}

export interface World {
  readonly time: SimulatedTime;
  readonly gateway: TestGateway;
  readonly random: SeededRandom;
  replica(): Replica;
}

export interface WorldOptions
  extends Partial<Pick<LineOptions, 'latencyMs' | 'doubled' | 'reordered'>>,
    Pick<Surroundings, 'openingLimits'> {
  readonly seed?: number;
  readonly history?: HistoryOption | undefined;
  readonly commitEachWrite?: boolean | undefined;
}

const NAME = 'db';
const CLOUD = { base: 'http://gateway.test', tenant: 't', ledger: 'l', token: 'tok' };

export function world({ seed = 1, latencyMs = [5, 20], ...options }: WorldOptions = {}): World {
  const time = simulatedTime();
  const random = seededRandom(seed);
  const gateway = testGateway();
  const here = {
    openingLimits: EAGER_LIMITS,
    ...options,
    time,
    random,
    latencyMs,
    server: gateway,
    cloud: CLOUD,
  };
  return { time, gateway, random, replica: () => newReplica(here) };
}

/** Opens a database on a new device. */
export function newReplica(here: Surroundings): Replica {
  return openReplica(here, { values: new Map(), keys: new Map(), tabs: new Set() });
}

/** The state that all tabs of a device share. */
interface Device {
  readonly values: Map<string, Uint8Array>;
  readonly keys: Map<string, readonly Uint8Array[]>;
  /** The hint listeners of all tabs. */
  readonly tabs: Set<() => void>;
}

/** Returns a channel that delivers hints to the other tabs after a millisecond. */
function channelOf(
  { tabs }: Device,
  { time }: Surroundings,
  process: { readonly isAlive: boolean },
): Channel {
  const own = new Set<() => void>();
  return {
    post: () => {
      for (const tell of tabs)
        if (!own.has(tell)) time.after(1, () => (process.isAlive && tabs.has(tell) ? tell() : undefined));
    },
    onHint: (fn) => {
      own.add(fn);
      tabs.add(fn);
      return () => void tabs.delete(fn);
    },
    close: () => {
      for (const fn of own) tabs.delete(fn);
    },
  };
}

function openReplica(here: Surroundings, device: Device): Replica {
  const { values, keys } = device;
  const { time, random, cloud, history, commitEachWrite, openingLimits, aheadMs = 0 } = here;
  const line = simulatedLine(here);
  const reports: unknown[] = [];
  const process = { isAlive: true };
  const platform: Platform = {
    openStore: async () => mortal(memoryStore(values), process),
    keyBag: memoryKeyBag(keys),
    time: { ...time, now: () => time.now() + (typeof aheadMs === 'number' ? aheadMs : aheadMs()) },
    random,
    network: line,
    channel: () => channelOf(device, here, process),
    report: (error) => void reports.push(error),
    storageUrl: undefined,
    openingLimits,
  };
  const db = openDatabase(NAME, platform, { ...(history && { history }), commitEachWrite });
  async function withCore<T>(work: (core: Core) => Promise<T> | T): Promise<T> {
    const opened = acquireCore(NAME, platform, { durability: 'strict' });
    const result = await work(await opened);
    await releaseCore(NAME, platform, opened);
    return result;
  }
  return {
    db,
    line,
    reports,
    attach: (options) => db.attach(toCloud({ ...cloud, ...options })),
    root: () => withCore(({ commits }) => commits.snapshot().root),
    events: () => withCore(eventsOf),
    tab: () => openReplica(here, device),
    reopen: async () => {
      await time.run(db.close());
      return openReplica(here, device);
    },
    crash: () => {
      process.isAlive = false;
      line.set('silent');
      return openReplica(here, device);
    },
  };
}

/** Returns the store of a process that may end. After its end, calls never resolve. */
function mortal(store: ByteStore, process: { readonly isAlive: boolean }): ByteStore {
  const never = new Promise<never>(() => undefined);
  return {
    ...store,
    read: (key) => (process.isAlive ? store.read(key) : never),
    write: (changes, guard) => (process.isAlive ? store.write(changes, guard) : never),
  };
}

async function eventsOf({ commits }: Core): Promise<ReadonlyMap<Cid, ClockEvent>> {
  const events = new Map<Cid, ClockEvent>();
  const waiting = [...commits.snapshot().head];
  for (let cid = waiting.pop(); cid !== undefined; cid = waiting.pop()) {
    if (events.has(cid)) continue;
    const event = await commits.readers.event(cid);
    events.set(cid, event);
    waiting.push(...event.parents);
  }
  return events;
}

/**
 * Returns the head and documents of a database. Databases with equal content return equal values.
 */
export async function contentOf(db: Database) {
  const { rows, clock } = await db.allDocs();
  return { head: clock, docs: rows.map(({ value }) => value) };
}

/** Returns whether all replicas have the same head. */
export async function haveSameHead(replicas: readonly Pick<Replica, 'db'>[]): Promise<boolean> {
  const heads = await Promise.all(replicas.map(({ db }) => db.head()));
  return new Set(heads.map((head) => head.join())).size === 1;
}
