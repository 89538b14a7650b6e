/**
 * A server in a separate process, and attached databases whose clocks run faster than real time.
 */
import { expect, onTestFinished } from 'vitest';
import {
  type Ledger,
  newLedger,
  tablesOf,
  temporaryFolder,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { type Run, run } from '../../packages/cloud/tests/process.fixture.ts';
import type { Database } from '../../packages/engine/src/database/database.ts';
import { openDatabase } from '../../packages/engine/src/database/open.ts';
import { memoryPlatform } from '../../packages/engine/src/platform/memory-platform.ts';
import { nodePlatform } from '../../packages/engine/src/platform/node/node-platform.ts';
import type { Network } from '../../packages/engine/src/ports/network.ts';
import type { Platform } from '../../packages/engine/src/ports/platform.ts';
import type { Attached } from '../../packages/engine/src/sync/remote.ts';
import { toCloud } from '../../packages/engine/src/sync/to-cloud.ts';

/** Factor by which client clocks run faster. Clients detect within 4 s what usually takes 30 s. */
const HASTE = 8;
const NO_PACE = { RATE_PER_USER: '1000000', RATE_PER_ADDRESS: '1000000', RATE_OF_SOCKETS: '1000000' };

function hurried(): Platform {
  const platform = memoryPlatform(nodePlatform('unused'));
  const { time } = platform;
  const network: Network = {
    request: (asked) => platform.network.request({ ...asked, timeoutMs: asked.timeoutMs / HASTE }),
    connect: (url, events, timeoutMs) => platform.network.connect(url, events, timeoutMs / HASTE),
  };
  const startMs = time.now();
  const now = () => startMs + (time.now() - startMs) * HASTE;
  return { ...platform, network, time: { ...time, now, after: (ms, fn) => time.after(ms / HASTE, fn) } };
}

export interface Client {
  readonly db: Database;
  readonly attached: Attached;
}

export interface Arranged {
  readonly data: string;
  readonly notes: Ledger;
  start(): Promise<{ readonly server: Run; readonly url: string }>;
  client(base: string): Promise<Client>;
}

/**
 * Creates a ledger. Returns functions that start servers and clients for this ledger.
 * @param env environment variables of the servers
 */
export async function arranged(env: Readonly<Record<string, string>> = {}): Promise<Arranged> {
  const data = await temporaryFolder();
  const behind = await tablesOf(data, env['DATABASE_URL']);
  const notes = await newLedger(behind);
  await behind.db.destroy();
  return {
    data,
    notes,
    start: async () => {
      const server = run({ PORT: '0', FIXPOINT_DATA: data, ...NO_PACE, ...env });
      return { server, url: await server.ready };
    },
    client: async (base) => {
      const db = openDatabase('notes', hurried());
      onTestFinished(() => db.close());
      return { db, attached: await db.attach(toCloud({ base, ...notes })) };
    },
  };
}

/** Returns the ids of all documents of a client. */
export const shown = async ({ db }: Client): Promise<string[]> =>
  (await db.allDocs()).rows.map(({ key }) => key).sort();

/** Waits until all clients report `in-sync` and have the same head. */
export const untilEqual = (clients: readonly Client[]): Promise<void> =>
  expect
    .poll(
      async () => [
        new Set(await Promise.all(clients.map(async ({ db }) => (await db.head()).join()))).size,
        ...clients.map(({ attached }) => attached.status().state),
      ],
      { timeout: 300_000, interval: 20 },
    )
    .toEqual([1, ...clients.map(() => 'in-sync')]);
