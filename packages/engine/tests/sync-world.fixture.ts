/** Replicas, their lines and a gateway, all in simulated time. */
import './sync-crypto.fixture.ts';
// What is loaded when it is first asked for takes turns of the real event loop, which simulated time does not wait for.
import '../src/commit/compactor.ts';
import '../src/commit/verify.ts';
import type { ClockEvent } from '../src/clock/event.ts';
import type { Cid } from '../src/codec/cid.ts';
import { acquireCore, type Core, type HistoryOption, releaseCore } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryKeyBag } from '../src/platform/memory-key-bag.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import type { ByteStore } from '../src/ports/byte-store.ts';
import type { Platform } from '../src/ports/platform.ts';
import type { Attached } from '../src/sync/remote.ts';
import { type CloudOptions, toCloud } from '../src/sync/to-cloud.ts';
import { type SeededRandom, seededRandom } from '../src/testing/seeded-random.ts';
import { type SimulatedLine, simulatedLine } from '../src/testing/simulated-network.ts';
import { type SimulatedTime, simulatedTime } from '../src/testing/simulated-time.ts';
import { type TestGateway, testGateway } from './sync-gateway.fixture.ts';

export interface Replica {
  readonly db: Database;
  readonly line: SimulatedLine;
  readonly reports: unknown[];
  attach(options?: Partial<CloudOptions>): Promise<Attached>;
  /** The root of the trie of the current head. */
  root(): Promise<string | undefined>;
  /** Closes the database and opens it again from what was stored. */
  reopen(): Promise<Replica>;
  /** The process ends without a word: nothing of it is stored or sent any more. Gives a new one on what was stored. */
  crash(): Replica;
  /** The clock's events, from the head back to the first. */
  events(): Promise<ReadonlyMap<Cid, ClockEvent>>;
}

export interface World {
  readonly time: SimulatedTime;
  readonly gateway: TestGateway;
  readonly random: SeededRandom;
  replica(): Replica;
}

export interface WorldOptions {
  readonly seed?: number;
  readonly latencyMs?: readonly [number, number];
  readonly doubled?: number;
  /** How many commits a compaction keeps. */
  readonly history?: HistoryOption | undefined;
}

const NAME = 'db';

export function world({ seed = 1, latencyMs = [5, 20], doubled = 0, history }: WorldOptions = {}): World {
  const time = simulatedTime();
  const random = seededRandom(seed);
  const gateway = testGateway();

  function open(values: Map<string, Uint8Array>, keys: Map<string, readonly Uint8Array[]>): Replica {
    const line = simulatedLine({ time, random, server: gateway, latencyMs, doubled });
    const reports: unknown[] = [];
    const process = { isAlive: true };
    const platform: Platform = {
      openStore: async () => mortal(memoryStore(values), process),
      keyBag: memoryKeyBag(keys),
      time,
      random,
      network: line,
      channel: () => ({ post: () => undefined, onHint: () => () => undefined, close: () => undefined }),
      report: (error) => void reports.push(error),
      storageUrl: undefined,
    };
    const db = openDatabase(NAME, platform, history && { history });
    async function withCore<T>(work: (core: Core) => Promise<T> | T): Promise<T> {
      const core = await acquireCore(NAME, platform, { durability: 'strict' });
      const result = await work(core);
      await releaseCore(NAME, platform);
      return result;
    }
    return {
      db,
      line,
      reports,
      attach: (options) =>
        db.attach(
          toCloud({ base: 'http://gateway.test', tenant: 't', ledger: 'l', token: 'tok', ...options }),
        ),
      root: () => withCore(({ commits }) => commits.snapshot().root),
      events: () => withCore(eventsOf),
      reopen: async () => {
        await time.run(db.close());
        return open(values, keys);
      },
      crash: () => {
        process.isAlive = false;
        line.set('silent');
        return open(values, keys);
      },
    };
  }

  return { time, gateway, random, replica: () => open(new Map(), new Map()) };
}

/** A store of a process that may die: then nothing is answered any more. */
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

/** What a database shows: equal for equal content. */
export async function contentOf(db: Database) {
  const { rows } = await db.allDocs();
  return { head: db.head, docs: rows.map(({ value }) => value) };
}
