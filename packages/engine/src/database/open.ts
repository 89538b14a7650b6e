import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { checkOptions } from '../base/check-options.ts';
import { checkListener, tellSafely } from '../base/listeners.ts';
import { refuseInMerge } from '../base/merge-turn.ts';
import { loadDatabaseChunk } from '../chunks.ts';
import type { Head } from '../clock/event.ts';
import type { HeadChange } from '../commit/news.ts';
import { isGone } from '../commit/reads.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { type DocKey, parseDocKey } from '../documents/doc-key.ts';
import { saysDeleted, TOMBSTONE } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { DocIds } from '../documents/new-id.ts';
import type { Platform } from '../ports/platform.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Time } from '../ports/time.ts';
import { createAttachments } from './attach.ts';
import type { Core, PreparedWrite } from './core.ts';
import type { ChangeRow, Database, DatabaseOptions, DocRow, Finding, Stored } from './database.ts';
import type { BulkWritten } from './database-results.ts';
import { type Inside, withInside } from './inside.ts';
import { acquireCore, type CoreOptions, checkOptionsOfCore, destroyCore, releaseCore } from './open-core.ts';
import { createPast } from './past/past.ts';
import { createWriteOrder, prepareWrite } from './put-files.ts';
import { allDocuments, currentDocuments, documentIn, documentOrDeleted, getDocument } from './read.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A handle's part in an open database. */
interface Acquired {
  readonly opening: Promise<Core>;
  release(): Promise<void>;
  /** Resolves when the database begins to open; undefined if it began with the handle. */
  readonly begins?: Promise<void>;
  /** Called with each use of the handle. */
  use?(): void;
}

export type Acquire = (name: string, platform: Platform, options: CoreOptions) => Acquired;

/**
 * Opens a handle; the database opens in the background.
 * @param acquire opens the database, by default at once
 * @throws FixpointError MISSING_NAME, CONFIG_INVALID
 */
export function openDatabase(
  name: string,
  platform: Platform,
  options: DatabaseOptions = {},
  acquire: Acquire = acquireNow,
): Database {
  checkNameAndOptions(name, options);
  const { sandbox } = options;
  const { report } = platform;
  const durability = options.durability === 'relaxed' ? 'relaxed' : 'strict';
  const { opening, release, begins, use } = acquire(name, platform, { ...options, durability });
  const onClosed = new Set<(reason?: FixpointError) => void>();
  const stops = new Set<() => void>();
  const attachments = createAttachments();
  let closed = false;
  let closing: Promise<void> | undefined;
  let lost: FixpointError | undefined;
  opening.then(
    (opened) => {
      opened.onClosed.add((reason) => {
        // End the handle even without a reason, because its cached state is stale from now on.
        lost = reason;
        end();
        void attachments.detachAll(isFixpointError(reason, 'STORE_LOST') ? reason : undefined).catch(report);
        for (const tell of onClosed) tellSafely(() => tell(reason), report);
      });
    },
    // Every call of the handle rejects with the same error.
    () => undefined,
  );
  const declared = declareIn(opening, options.indexes);
  // Each call of the handle rejects with the same error.
  declared.catch(() => undefined);
  const open = async (): Promise<Core> => {
    if (closed) throw lost ?? new FixpointError('DATABASE_CLOSED');
    use?.();
    return declared;
  };
  const end = () => {
    closed = true;
    for (const stop of stops) stop();
    stops.clear();
  };
  const close = async () => {
    end();
    await attachments.detachAll();
    await release();
  };
  const { writes, transact } = createWrites(platform, open);
  const listen: Database['subscribe'] = (listener, updates) =>
    subscribe(open, stops, listener, updates, report);
  const handle: Database = {
    name,
    ready: async () => void (await open()),
    ...writes,
    ...createReads(name, open, sandbox),
    ...createPast(open, { ...writes, subscribe: listen }, sandbox),
    subscribe: listen,
    attach: async (remote) => {
      if (typeof remote?.attach !== 'function') throw new FixpointError('REQUEST_INVALID', 'no remote');
      return attachments.attach(await open(), remote);
    },
    ...createCare(open),
    close: () => {
      closing ??= close();
      return closing;
    },
    destroy: async () => {
      end();
      await destroyCore(name, platform, durability, attachments.detachAll());
    },
    onClosed: (fn) => {
      checkListener(fn);
      onClosed.add(fn);
      return () => void onClosed.delete(fn);
    },
  };
  return withInside(handle, { open, begins, sandbox, report, newId: () => newIdOn(platform), transact });
}

const acquireNow: Acquire = (name, platform, options) => {
  const opening = acquireCore(name, platform, options);
  return { opening, release: () => releaseCore(name, platform, opening) };
};

type Care = Pick<Database, 'compact' | 'rotateKey' | 'changePassphrase'>;

const createCare = (open: () => Promise<Core>): Care => ({
  compact: async () => (await open()).commits.compact(),
  rotateKey: async (options) => (await loadDatabaseChunk()).rotateKey(await open(), options),
  changePassphrase: async (passphrase) => (await open()).commits.keys.changePassphrase(passphrase),
});

/** Resolves when the indexes are declared. @throws FixpointError CONFIG_INVALID */
async function declareIn(opening: Promise<Core>, indexes: DatabaseOptions['indexes']): Promise<Core> {
  const core = await opening;
  if (indexes !== undefined) await (await core.indexes.load()).declare(indexes);
  return core;
}

/** All names, so that the compiler notices a missing one. */
const OPTIONS: Readonly<Record<keyof DatabaseOptions, true>> = {
  archivesKept: true,
  commitEachWrite: true,
  directory: true,
  durability: true,
  encrypted: true,
  existing: true,
  history: true,
  indexes: true,
  passphrase: true,
  sandbox: true,
  signed: true,
  stamps: true,
  storage: true,
  store: true,
};

function checkNameAndOptions(name: string, options: DatabaseOptions): void {
  if (typeof name !== 'string' || name === '') throw new FixpointError('MISSING_NAME');
  // A misspelled passphrase, for example, would leave the keys unprotected.
  for (const given of Object.keys(options))
    if (!Object.hasOwn(OPTIONS, given)) throw new FixpointError('CONFIG_INVALID', `unknown option ${given}`);
  // After a typo, data that was meant to stay in memory must not be written to the device.
  if (options.storage !== undefined && options.storage !== 'memory')
    throw new FixpointError('CONFIG_INVALID', 'storage is not `memory`');
  checkOptionsOfCore(options);
}

const newIdOn = ({ time, random }: Platform): DocKey => docIdsOf(time).next(time.now(), random.bytes(10));

type Writes = Pick<Database, 'put' | 'del' | 'remove' | 'bulk' | 'update' | 'transact' | 'mergeWith'>;
type RunTransaction = Inside['transact'];

function createWrites(
  platform: Platform,
  open: () => Promise<Core>,
): { readonly writes: Writes; readonly transact: RunTransaction } {
  const order = createWriteOrder();

  const prepare = (given: object): PreparedWrite => {
    const doc = given as Fields;
    const id = doc?.['_id'];
    if (saysDeleted(doc ?? {})) return prepareDeletion(id);
    const key = id === undefined || id === '' ? newIdOn(platform) : parseDocKey(id);
    refuseGenesis(key);
    return prepareWrite(doc, key, platform);
  };
  const write = async (prepared: readonly PreparedWrite[]) => {
    const opened = await open();
    if (prepared.length > 0) await order.write(opened, prepared);
  };
  const writeUnlessConflict = async (prepared: readonly PreparedWrite[]) => {
    const opened = await open();
    let written: BulkWritten = { ids: [], kept: [] };
    // Later writes of these documents wait for the search, so that they come after this one.
    await order.write(opened, prepared, async (operations) => {
      written = await (await loadDatabaseChunk()).writeUnlessConflict(opened, operations);
    });
    return written;
  };
  // Prepare the write before the first await, so that later changes to the caller's object have no
  // effect.
  const writeOne = async (prepared: PreparedWrite) => {
    await write([prepared]);
    return { id: prepared.key as string };
  };
  const del = async (id: string) => writeOne(prepareDeletion(id));
  const parts = { open, prepare, prepareDeletion, settled: order.settled };

  const transact: RunTransaction = async (work, keeps) => {
    refuseInMerge();
    return (await loadDatabaseChunk()).transact(parts, work, keeps);
  };
  const writes: Writes = {
    put: async (doc) => writeOne(prepare(doc)),
    del,
    remove: del,
    update: async (id, change) => {
      refuseInMerge();
      return (await loadDatabaseChunk()).update(parts, id, change);
    },
    transact: (work) => transact(work, true),
    mergeWith: async (prefix, rule) => void (await loadDatabaseChunk()).mergeWith(await open(), prefix, rule),
    bulk: async (docs, given = {}) => {
      if (!Array.isArray(docs)) throw new FixpointError('DOC_INVALID', 'bulk takes an array');
      checkOptions(given);
      const { del: gone = [], keepConflicts = false } = given;
      if (!Array.isArray(gone)) throw new FixpointError('QUERY_INVALID', 'del is not an array');
      // After a wrong value, the write could end a conflict that must stay.
      if (typeof keepConflicts !== 'boolean')
        throw new FixpointError('QUERY_INVALID', 'keepConflicts is not a boolean');
      const prepared = [...docs.map(prepare), ...gone.map(prepareDeletion)];
      if (keepConflicts) return writeUnlessConflict(prepared);
      await write(prepared);
      return { ids: prepared.map(({ key }) => key as string) };
    },
  };
  return { writes, transact };
}

type Reads = Pick<Database, 'head' | 'get' | 'allDocs' | 'query' | 'changes' | keyof Finding>;

function createReads(name: string, open: () => Promise<Core>, sandbox: Sandbox | undefined): Reads {
  const finding = async () => (await loadDatabaseChunk()).createFinding(open);
  const readRows = async <R>(
    how: 'read' | 'readTrie',
    rowsAt: (readers: Readers, at: Snapshot) => Promise<R[]>,
  ) => {
    const { commits } = await open();
    return commits[how](async (at) => ({ rows: await rowsAt(commits.readers, at), clock: at.head, name }));
  };
  return {
    head: async () => {
      const { commits } = await open();
      await commits.settle();
      return commits.snapshot().head;
    },
    get: async <T extends object>(id: string) => {
      const { commits, reading } = await open();
      const pending = commits.isSettled() ? undefined : commits.pending(parseDocKey(id));
      if (pending !== undefined) return documentIn(pending.bytes, commits.readers, id) as Stored<T>;
      const read = (at: Snapshot) => getDocument(commits.readers, at, id) as Promise<Stored<T>>;
      // A read this short rarely loses blocks to compaction. Protecting the blocks would slow the
      // read by half.
      const own = read(commits.snapshot());
      reading.add(own);
      try {
        return await own;
      } catch (cause) {
        if (!isGone(cause)) throw cause;
        return commits.read(read);
      } finally {
        reading.delete(own);
      }
    },
    allDocs: <T extends object>(given = {}) =>
      readRows('readTrie', (readers, at) => allDocuments(readers, at, given) as Promise<DocRow<T>[]>),
    query: async (map, options) => (await loadDatabaseChunk()).query(open, sandbox, map, options),
    find: async (options) => (await finding()).find(options),
    count: async (where) => (await finding()).count(where),
    groupBy: async (fields, options) => (await finding()).groupBy(fields, options),
    explain: async (options) => (await finding()).explain(options),
    changes: async <T extends object>(since: Head = [], options: { limit?: number } = {}) => {
      const rowsSince = (await loadDatabaseChunk()).changedDocuments(since, options);
      return readRows('read', (readers, at) => rowsSince(readers, at) as Promise<ChangeRow<T>[]>);
    },
  };
}

/** @param stops contains the returned function until that function is called */
function subscribe(
  open: () => Promise<Core>,
  stops: Set<() => void>,
  listener: (docs: readonly Stored[]) => void,
  updates = false,
  report: (error: unknown) => void,
): () => void {
  checkListener(listener);
  let stopFeed: (() => void) | undefined;
  let stopped = false;
  const stop = () => {
    stopped = true;
    stopFeed?.();
    stops.delete(stop);
  };
  stops.add(stop);
  const deliver = orderedDelivery(listener, updates, () => stopped, report);
  open().then(
    (opened) => {
      if (!stopped) stopFeed = opened.commits.subscribe((change) => deliver(opened, change));
    },
    () => undefined,
  );
  return stop;
}

const docIds = new WeakMap<Time, DocIds>();

/** Databases that share a clock generate their ids in one order. */
function docIdsOf(time: Time): DocIds {
  const ids = docIds.get(time) ?? new DocIds();
  docIds.set(time, ids);
  return ids;
}

function prepareDeletion(id: unknown): PreparedWrite {
  const key = parseDocKey(id);
  refuseGenesis(key);
  return { key, operation: { key, value: TOMBSTONE } };
}

function refuseGenesis(key: DocKey): void {
  if (key === GENESIS_KEY) throw new FixpointError('KEY_INVALID', 'this id is reserved');
}

/** Delivers changes to a subscriber one at a time, in the order in which they happened. */
function orderedDelivery(
  listener: (docs: readonly Stored[]) => void,
  updates: boolean,
  isStopped: () => boolean,
  report: (error: unknown) => void,
): (core: Core, change: HeadChange) => void {
  const tell = (docs: readonly Stored[]) => tellSafely(() => listener(docs), report);
  let last: Promise<void> = Promise.resolve();
  return ({ commits }, { ids, origin }) => {
    // Subscribers know these writes since they were acknowledged.
    if (origin === 'settled') return;
    if (!updates) return tell([]);
    const pending = ids.map((id) => commits.pending(id)?.bytes);
    const { snapshot, release } = commits.hold();
    last = last
      .then(async () => {
        const stored = ids.filter((_, at) => pending[at] === undefined);
        const found = (await currentDocuments(commits.readers, snapshot, stored)).values();
        const docs = ids.map((id, at) => {
          const bytes = pending[at];
          return bytes === undefined
            ? (found.next().value as Stored)
            : documentOrDeleted(bytes, commits.readers, id);
        });
        if (!isStopped()) tell(docs);
      })
      .catch((cause) => report(new FixpointError('SUBSCRIBER', undefined, { cause })))
      .finally(release);
  };
}
