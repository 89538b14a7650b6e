/** Replicas, their lines and a gateway, all in simulated time. */
import './sync-crypto.fixture.ts';
import { acquireCore, releaseCore } from '../src/database/core.ts';
import type { Database } from '../src/database/database.ts';
import { openDatabase } from '../src/database/open.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
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
}

const NAME = 'db';

export function world({ seed = 1, latencyMs = [5, 20], doubled = 0 }: WorldOptions = {}): World {
  const time = simulatedTime();
  const random = seededRandom(seed);
  const gateway = testGateway();

  function open(values: Map<string, Uint8Array>, keys: Map<string, readonly Uint8Array[]>): Replica {
    const line = simulatedLine({ time, random, server: gateway, latencyMs, doubled });
    const reports: unknown[] = [];
    const platform: Platform = {
      openStore: async () => memoryStore(values),
      keyBag: {
        load: async (database) => keys.get(database) ?? [],
        save: async (database, list) => void keys.set(database, list),
      },
      time,
      random,
      network: line,
      channel: () => ({ post: () => undefined, onHint: () => () => undefined, close: () => undefined }),
      report: (error) => void reports.push(error),
      storageUrl: undefined,
    };
    const db = openDatabase(NAME, platform);
    return {
      db,
      line,
      reports,
      attach: (options) =>
        db.attach(
          toCloud({ base: 'http://gateway.test', tenant: 't', ledger: 'l', token: 'tok', ...options }),
        ),
      root: async () => {
        const core = await acquireCore(NAME, platform, { durability: 'strict' });
        const { root } = core.commits.snapshot();
        await releaseCore(NAME, platform);
        return root;
      },
      reopen: async () => {
        await time.run(db.close());
        return open(values, keys);
      },
    };
  }

  return { time, gateway, random, replica: () => open(new Map(), new Map()) };
}

/** What a database shows: equal for equal content. */
export async function contentOf(db: Database) {
  const { rows } = await db.allDocs();
  return { head: db.head, docs: rows.map(({ value }) => value) };
}
