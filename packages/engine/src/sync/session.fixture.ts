/**
 * Creates a session between a real commit layer in memory and a remote that is a map of objects. A
 * test decides how the remote fails, and when the connection is lost.
 */
import '../commit/lazy-commit-chunk.ts';
import type { AnswerOf, MetaEntry, StorageAnswer } from '@fixpoint/protocol/storage';
import { type Archive, packArchive } from '../archive/pack.ts';
import { utf8 } from '../base/bytes.ts';
import type { Head } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import type { Commits } from '../commit/commits-interface.ts';
import { operation, watchedStore } from '../commit/head.fixture.ts';
import { openCommits } from '../commit/open-commits.ts';
import type { DatabaseKeys } from '../crypto/database-keys.ts';
import { type DataKey, NO_KEYS } from '../crypto/keys.ts';
import type { NetworkRequest } from '../ports/network.ts';
import type { Platform } from '../ports/platform.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { simulatedTime } from '../testing/simulated-time.ts';
import type { ObjectStore } from './ledger/ledger-sealing.ts';
import { createListed } from './ledger/listed-entries.ts';
import { encodeMetaEntry } from './ledger/meta-entry-codec.ts';
import { openKeySealing } from './ledger/open-key-sealing.ts';
import { createRemoteMemory } from './ledger/remote-memory.ts';
import type { Session } from './sync-session.ts';
import type { Connection } from './transport/connection.ts';

const OBJECTS = 'http://objects.test/';

/**
 * Returns the keys of a ledger. Without a key, nothing is encrypted, so no work runs on another
 * thread.
 */
function ledgerKeys(current: DataKey | undefined): DatabaseKeys {
  const known = current === undefined ? NO_KEYS : { current, all: new Map([[current.id, current]]) };
  return { keys: () => known, learn: async () => undefined } as unknown as DatabaseKeys;
}

/** Describes a simulated remote: its objects, the requests that it received, and how it fails. */
export interface Remote {
  readonly objects: Map<string, Uint8Array>;
  /** Transfers of objects in order, such as `PUT car/<name>`. */
  readonly transfers: string[];
  readonly entries: MetaEntry[];
  /** Returns the HTTP status of a transfer; undefined lets the transfer succeed. */
  status: (transfer: string) => number | undefined;
  /** Runs before each transfer. */
  before: (transfer: string) => unknown;
}

export async function sessionOver(remote: Remote = remoteOf(), key?: DataKey) {
  const time = simulatedTime();
  const reports: unknown[] = [];
  const watched = watchedStore();
  const commits = await openCommits({
    newWriter: () => 'test',
    commitEachWrite: true,
    store: watched.store,
    keys: { keys: () => NO_KEYS },
    ledgerKeys: ledgerKeys(key),
    channel: { post: () => undefined, onHint: () => () => undefined, close: () => undefined },
    time,
    report: (error) => void reports.push(error),
    load: () => import('../commit/lazy-commit-chunk.ts'),
  });
  await commits.prepareForSync();
  const memory = createRemoteMemory('r');
  const faulty: string[] = [];
  const state = { connection: undefined as Connection | undefined, isReady: true };
  const platform = {
    time,
    random: seededRandom(1),
    network: { request: (request: NetworkRequest) => transfer(remote, request) },
    report: (error: unknown) => void reports.push(error),
  } as unknown as Platform;
  const sealing = openKeySealing(commits);
  const session: Session = {
    commits,
    platform,
    memory,
    target: {
      gateway: new URL('http://gateway.test'),
      tenant: 't',
      ledger: 'l',
      name: 'n',
      tokens: {} as never,
    },
    listed: createListed(),
    searched: new Set(),
    signal: new AbortController().signal,
    sealing: () => sealing,
    settle: async ({ keys }) => sealing.learn(keys, {}),
    renewKey: async () => undefined,
    isReady: () => state.isReady,
    heal: async () => false,
    faulty: (object) => void faulty.push(object),
    connection: () => state.connection,
    told: (entry, content) => session.listed.told(entry.cid, content),
  };
  /**
   * Opens a new connection for the session. Requests on earlier connections still reach the remote.
   */
  const connect = () => {
    state.connection = connectionTo(remote);
    return state.connection;
  };
  return { ...watched, session, commits, memory, remote, time, reports, faulty, state, connect };
}
export type World = Awaited<ReturnType<typeof sessionOver>>;

export const remoteOf = (): Remote => ({
  objects: new Map(),
  transfers: [],
  entries: [],
  status: () => undefined,
  before: () => undefined,
});

function connectionTo(remote: Remote): Connection {
  return {
    conn: { reqId: 'q', resId: 's' },
    request: async <T extends StorageAnswer['type']>(
      type: string,
      _: T,
      fields: Readonly<Record<string, unknown>>,
    ): Promise<AnswerOf<T>> => {
      if (type === 'reqPutMeta') {
        remote.entries.push(...(fields['meta'] as { metas: MetaEntry[] }).metas);
        return {} as AnswerOf<T>;
      }
      const { store, key } = fields['urlParam'] as { store: string; key: string };
      return { signedUrl: `${OBJECTS}${store}/${key}` } as unknown as AnswerOf<T>;
    },
    bind: async () => undefined,
    close: () => undefined,
  };
}

async function transfer(remote: Remote, { method, url, body }: NetworkRequest) {
  const name = String(url).slice(OBJECTS.length);
  const asked = `${method} ${name}`;
  remote.transfers.push(asked);
  await remote.before(asked);
  const status = remote.status(asked);
  if (status === 0) throw new Error('no network');
  if (status !== undefined) return { status, body: utf8('no') };
  if (method === 'PUT') {
    remote.objects.set(name, body as Uint8Array);
    return { status: 200, body: new Uint8Array() };
  }
  const stored = remote.objects.get(name);
  return stored === undefined ? { status: 404, body: new Uint8Array() } : { status: 200, body: stored };
}

/** Writes one commit for each document. */
export async function write(
  commits: Commits,
  ...documents: readonly (readonly [string, number])[]
): Promise<void> {
  for (const [id, n] of documents) await commits.write([operation(id, n)]);
}

/**
 * Packs everything that a device has into one archive, and puts the archive at the remote. Returns
 * the archive and its entry.
 */
export async function entryOf(
  { session, commits, remote }: World,
  { cars = [], named }: { readonly cars?: readonly (readonly Cid[])[]; readonly named?: Head } = {},
): Promise<{ readonly entry: MetaEntry; readonly archive: Archive; readonly head: Head }> {
  const { head } = commits.snapshot();
  const blocks = (await Promise.all(commits.archiveIds().map((cid) => commits.blocksOf(cid)))).flat();
  const archive = await packArchive({ cars, compact: [], head }, [session.sealing().mark([]), ...blocks]);
  await putAt(session, remote, 'car', archive);
  return { entry: encodeMetaEntry([archive.cid], [], named ?? head), archive, head };
}

/** Seals an object and puts it at the remote. */
export async function putAt(
  session: Session,
  remote: Remote,
  store: ObjectStore,
  { cid, bytes }: Pick<Archive, 'cid' | 'bytes'>,
): Promise<void> {
  const { name, body } = await session.sealing().seal(store, cid, bytes);
  remote.objects.set(`${store}/${name}`, body);
}
