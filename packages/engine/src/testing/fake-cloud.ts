/** `fixpoint/testing`: what tests of applications need instead of a device and a server. */
import type { Collections, DatabaseWith } from '../collections/collection-types.ts';
import type { DatabaseOf } from '../collections/typed-database.ts';
import type { Database, DatabaseOptions } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { acceptBytesOfAllRealms } from '../platform/bytes-of-realms.ts';
import { memoryPlatform } from '../platform/memory-platform.ts';
import { reportToConsole } from '../platform/report.ts';
import { systemRandom, systemTime } from '../platform/system.ts';
import type { Network } from '../ports/network.ts';
import type { Platform } from '../ports/platform.ts';
import type { Remote } from '../sync/remote.ts';
import { toCloud } from '../sync/to-cloud.ts';
import { testGateway } from './memory-gateway.ts';
import { seededRandom } from './seeded-random.ts';
import { simulatedLine } from './simulated-network.ts';

const BASE = 'http://fake.test';
const READER = 'a reader';
const WRITER = 'a writer';

/** Which database of a {@link FakeCloud} a remote is, and what the person may do there. */
export interface FakeRemoteOptions {
  /** Default: `ledger`. Remotes with the same name share documents. */
  readonly ledger?: string;
  /** Default: `write`. */
  readonly right?: 'read' | 'write';
}

/** A cloud inside of a test, without a server, people and tokens. */
export interface FakeCloud {
  /** Returns a database of this cloud, for `attach` of as many databases as you like. */
  remote(options?: FakeRemoteOptions): Remote;
  /** Cuts the connections of all databases, until {@link online}. */
  offline(): void;
  /** Connects all databases again. */
  online(): void;
  /** The files that databases uploaded, by address. Their contents are encrypted. */
  readonly objects: ReadonlyMap<string, Uint8Array>;
}

/**
 * Creates a cloud that exists only in this process. Databases sync through it as through a server,
 * with the same code up to the network. It has no presence, and no end-to-end encrypted databases.
 */
export function fakeCloud(): FakeCloud {
  const server = testGateway();
  server.kind = 'open-key';
  server.readers.add(READER);
  const listeners = new Set<(isOnline: boolean) => void>();
  const random = seededRandom(1);
  const line = simulatedLine({ time: systemTime, random, server, latencyMs: [0, 0] });
  const network: Network = {
    request: line.request,
    connect: line.connect,
    onOnline: (fn) => {
      listeners.add(fn);
      return () => void listeners.delete(fn);
    },
  };
  const become = (isOnline: boolean) => {
    line.set(isOnline ? 'up' : 'cut');
    for (const tell of [...listeners]) tell(isOnline);
  };
  return {
    remote: ({ ledger = 'ledger', right = 'write' } = {}) => {
      const token = right === 'write' ? WRITER : READER;
      const { attach } = toCloud({ base: BASE, tenant: 'tenant', ledger, token, kind: 'open-key' });
      return { attach: (commits, platform, watch) => attach(commits, { ...platform, network }, watch) };
    },
    offline: () => become(false),
    online: () => become(true),
    objects: server.objects,
  };
}

const nowhere = () => Promise.reject(new Error('a database in memory has no network'));
/** Never opens anything outside of the memory of this process. */
const outside: Omit<Platform, 'keyBag' | 'openStore' | 'channel'> = {
  time: systemTime,
  random: systemRandom,
  network: { request: nowhere, connect: nowhere },
  report: reportToConsole,
  storageUrl: undefined,
};

let count = 0;

/**
 * Opens an empty database in memory, which no other call returns. Destroy it when the test ends, or
 * leave it to the end of the process. It syncs only with a {@link FakeCloud}.
 */
export function memoryDatabase<C extends Collections>(
  options: DatabaseOptions & { readonly collections: C },
): DatabaseWith<C>;
export function memoryDatabase(options?: DatabaseOptions): Database;
export function memoryDatabase<T extends object>(options?: DatabaseOptions): DatabaseOf<T>;
export function memoryDatabase({
  collections = {},
  ...options
}: DatabaseOptions & { readonly collections?: Collections } = {}): object {
  acceptBytesOfAllRealms();
  count += 1;
  const name = `memory-${count}`;
  const open = (all: DatabaseOptions) => {
    // A platform of its own, because databases of one platform share their store by name.
    const platform = memoryPlatform({ ...outside } as Platform);
    return openDatabase(name, platform, { ...all, encrypted: all.encrypted === true });
  };
  const [first] = Object.values(collections);
  return first === undefined ? open(options) : first.openAll(open, options, collections);
}
