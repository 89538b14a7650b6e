import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../../base/bytes.ts';
import { loadOpenChunk } from '../../open-chunk.ts';
import type { ByteStore, Durability, Guard, StoreChange } from '../../ports/byte-store.ts';
import { besideName, destroyLock, lockManager } from './indexeddb-names.ts';
import { changeRows, readPartOfRow, readRow, rowsOf } from './indexeddb-parts.ts';
import { completed, openOf, rangeOf, resultOf, storeFailure } from './transaction.ts';
import { rememberWritten, wasWritten } from './written-mark.ts';

export const OBJECT_STORE = 'values';
/** Reading a part takes 0.3 to 0.5 ms. Opening an archive of a megabyte takes 5 to 8 ms. */
const PART_COST = 64_000;
/**
 * The key of a row that says that the other rows are in OPFS (decision 0152). No key is lower, so
 * each open finds the row when it checks for content.
 */
export const OPFS_KEY = '\0opfs';
/**
 * The version of an IndexedDB database whose rows were moved to OPFS. All other databases have
 * version 1.
 */
export const MOVED_VERSION = 2;

/**
 * Opens a store in one IndexedDB database, where each write is one transaction. If the format's
 * first implementation has a database of this name, the store gets a different name, and destroying
 * the store removes both databases.
 * @param mayBeInOpfs whether the caller looks for the row `OPFS_KEY` and uses the other store
 * @throws FixpointError STORE_UNREADABLE, FORMAT_NEWER, STORE_LOST when the stored data was removed
 */
export async function openIndexedDbStore(
  storageName: string,
  durability: Durability,
  mayBeInOpfs?: boolean,
): Promise<ByteStore> {
  const [begin, onClosed, close, closeFromOutside] = await connect(storageName, durability);
  const readable = () => begin('readonly').objectStore(OBJECT_STORE);
  const first = await firstKey(readable());
  const isElsewhere = (key?: IDBValidKey) => key === OPFS_KEY && !mayBeInOpfs;
  if (isElsewhere(first)) throw closeFromOutside(inOpfs());
  let isMarked = first !== undefined;
  if (isMarked) rememberWritten(storageName);
  else if (wasWritten(storageName)) throw closeFromOutside(storeLost());
  // Not every browser reports that it removed the data of an open database.
  const requireContent = async (values: IDBObjectStore) => {
    const found = await firstKey(values);
    if (isElsewhere(found)) throw closeFromOutside(inOpfs());
    if (isMarked && found === undefined) throw closeFromOutside(storeLost());
  };

  /** Reads in one transaction, which also checks for content if nothing was found. */
  const reading = <T extends Uint8Array | Map<string, Uint8Array> | undefined>(
    read: (values: IDBObjectStore) => Promise<T>,
  ) =>
    guarded(async () => {
      const values = readable();
      const found = await read(values);
      if (!found || (found instanceof Map && found.size === 0)) await requireContent(values);
      return found;
    });

  return {
    read: (key) => reading((values) => readRow(values, key)),
    // If the whole row is missing, reading it reports that.
    readPart: (key, offset, length) => guarded(() => readPartOfRow(readable(), key, offset, length)),
    partCost: PART_COST,
    readPrefix: (prefix) => reading((values) => rowsIn(values, prefix)),
    keys: (prefix) =>
      guarded(async () => (await resultOf(readable().getAllKeys(rangeOf(prefix)))).map(String)),
    write: (changes, guard) =>
      guarded(async () => {
        const done = await writeAll(begin('readwrite'), changes, guard, !isMarked);
        if (!isMarked && done) rememberWritten(storageName);
        isMarked ||= done;
        if (!done) await requireContent(readable());
        return done;
      }),
    shrink: () =>
      guarded(async () =>
        (await loadOpenChunk()).removeLooseParts((mode) => begin(mode, 'relaxed').objectStore(OBJECT_STORE)),
      ),
    inTurn: (work) => inTurn(`fixpoint:${storageName}:write`, work),
    onClosed: (fn) => {
      onClosed.add(fn);
      return () => void onClosed.delete(fn);
    },
    close: async () => close(),
    destroy: async () => {
      close();
      await (await loadOpenChunk()).deleteDatabase(storageName);
    },
  };
}

/** Opens a connection that ends when another tab deletes the database or the browser removed it. */
async function connect(storageName: string, durability: Durability) {
  const database = await openOwnDatabase(storageName).catch((cause) => Promise.reject(unreadable(cause)));
  let closedBy: FixpointError | undefined;
  const close = (reason = new FixpointError('DATABASE_CLOSED')) => {
    closedBy ??= reason;
    database.close();
  };
  const onClosed = new Set<(reason: FixpointError) => void>();
  const closeFromOutside = (reason: FixpointError): FixpointError => {
    if (closedBy !== undefined) return closedBy;
    close(reason);
    for (const tell of [...onClosed]) tell(reason);
    return reason;
  };
  // Close at once, so that another tab that deletes the database doesn't wait for this one.
  database.onversionchange = async ({ newVersion }) =>
    void closeFromOutside(await reasonToClose(storageName, newVersion));
  // The browser closes a connection by itself only after it removed the data.
  database.onclose = () => void closeFromOutside(storeLost());

  const begin = (mode: IDBTransactionMode, durable = durability) => {
    if (closedBy !== undefined) throw closedBy;
    return database.transaction(OBJECT_STORE, mode, { durability: durable });
  };
  return [begin, onClosed, close, closeFromOutside] as const;
}

const guarded = <T>(work: () => Promise<T>) => work().catch((cause) => Promise.reject(storeFailure(cause)));

async function rowsIn(values: IDBObjectStore, prefix: string): Promise<Map<string, Uint8Array>> {
  const [keys, found] = await Promise.all([
    resultOf(values.getAllKeys(rangeOf(prefix))),
    resultOf(values.getAll(rangeOf(prefix))),
  ]);
  return new Map(await rowsOf(values, keys, found));
}

/** How long a frozen tab can block the other tabs while it has the turn. */
const TURN_MS = 1000;

/**
 * Runs the work while no other tab runs work under the same name. Doesn't wait longer than TURN_MS,
 * because the tab that has the turn may be frozen.
 */
async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = lockManager();
  if (locks === undefined) return work();
  let done: Promise<T> | undefined;
  const once = () => {
    done ??= work();
    return done;
  };
  // Ignore this failure: if the wait timed out, the work starts below; if the work failed, its
  // rejected promise is returned below.
  await locks.request(name, { signal: AbortSignal.timeout(TURN_MS) }, once).catch(() => undefined);
  return once();
}

async function isDestroying(storageName: string): Promise<boolean> {
  // Without locks, every deletion counts as requested.
  const { held = [] } = (await lockManager()?.query()) ?? { held: [{ name: destroyLock(storageName) }] };
  return held.some(({ name }) => name === destroyLock(storageName));
}

const storeLost = (): FixpointError =>
  new FixpointError('STORE_LOST', 'the browser or its user removed the data of this site');

const inOpfs = (): FixpointError =>
  new FixpointError('STORE_UNREADABLE', 'it is in OPFS: reload, use `opfsStore`');

/** @param newVersion the version that another tab requested; null to delete the database */
async function reasonToClose(storageName: string, newVersion: number | null): Promise<FixpointError> {
  if (newVersion === MOVED_VERSION) return inOpfs();
  const isLost = newVersion === null && !(await isDestroying(storageName));
  return isLost ? storeLost() : new FixpointError('DATABASE_CLOSED');
}

const saysOpfs = (changes: readonly StoreChange[]): boolean => changes[0]?.key === OPFS_KEY;

const firstKey = async (values: IDBObjectStore): Promise<IDBValidKey | undefined> =>
  (await resultOf(values.getAllKeys(undefined, 1)))[0];

export async function openOwnDatabase(storageName: string): Promise<IDBDatabase> {
  const beside = besideName(storageName);
  const known = await indexedDB.databases?.().catch(() => []);
  // Use the existing store even if the other client's database was removed later.
  if (known?.some(({ name }) => name === beside)) return openDatabase(beside);
  const database = await openDatabase(storageName);
  if (database.objectStoreNames.contains(OBJECT_STORE)) return database;
  database.close();
  return openDatabase(beside);
}

/**
 * IndexedDB is missing or throws where a page may not store anything, such as in a frame of a
 * foreign origin.
 */
const unreadable = (cause: unknown): FixpointError =>
  cause instanceof FixpointError
    ? cause
    : new FixpointError('STORE_UNREADABLE', `no IndexedDB here: ${(cause as Error).message}`, { cause });

const openDatabase = (name: string, version = 1): Promise<IDBDatabase> =>
  openOf(name, OBJECT_STORE, version).catch((cause: DOMException) => {
    const isNewer = cause.name === 'VersionError';
    if (isNewer && version < MOVED_VERSION) return openDatabase(name, MOVED_VERSION);
    const code = isNewer ? 'FORMAT_NEWER' : 'STORE_UNREADABLE';
    throw new FixpointError(code, name, { cause });
  });

/**
 * Resolves when the transaction is complete, which in strict durability means on disk. Returns
 * false if the condition in `guard` isn't met. The guarded row is read in the same batch of
 * requests as the changes. As soon as the row is known, the transaction is committed or aborted.
 * This saves a round trip to the database's process, which costs as much as all changes together.
 */
async function writeAll(
  transaction: IDBTransaction,
  changes: readonly StoreChange[],
  guard: Guard | undefined,
  isFirst: boolean,
): Promise<boolean> {
  const values = transaction.objectStore(OBJECT_STORE);
  let isRefused = false;
  const refuse = () => {
    isRefused = true;
    transaction.abort();
  };
  if (isFirst) {
    // After this tab opened the database, another tab may have written rows, or the row that says
    // that the rows are in OPFS.
    const request = values.getAllKeys(undefined, 1);
    request.onsuccess = () => {
      const [first] = request.result;
      if (first !== undefined && (first === OPFS_KEY) !== saysOpfs(changes)) refuse();
    };
  }
  let failure: unknown;
  if (guard !== undefined)
    readRow(values, guard.key).then(
      (found) => {
        const holds = found && guard.bytes ? equalBytes(found, guard.bytes) : found === guard.bytes;
        if (holds) transaction.commit?.();
        else refuse();
      },
      (cause) => {
        // Every other failure aborts the transaction by itself.
        if (!(cause instanceof FixpointError)) return;
        failure = cause;
        transaction.abort();
      },
    );
  changeRows(values, changes);
  if (guard === undefined && !isFirst) transaction.commit?.();
  return completed(transaction).then(
    () => true,
    (cause) => (isRefused ? false : Promise.reject(failure ?? cause)),
  );
}
