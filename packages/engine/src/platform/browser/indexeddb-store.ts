import { FixpointError } from '@fixpoint/protocol';
import { equalBytes } from '../../base/bytes.ts';
import type { ByteStore, Durability, Guard, StoreChange } from '../../ports/byte-store.ts';
import { reserveName } from './indexeddb-reserve.ts';
import { completed, openOf, rangeOf, resultOf, storeFailure } from './transaction.ts';
import { forgetWritten, rememberWritten, wasWritten } from './written-mark.ts';

const OBJECT_STORE = 'values';

/**
 * Opens a store in one IndexedDB database; a write is one transaction. If the format's first
 * implementation has a database of this name, the store gets another name beside it, and destroying
 * the store removes both.
 * @throws FixpointError STORE_UNREADABLE, FORMAT_NEWER, STORE_LOST when the stored data was removed
 */
export async function openIndexedDbStore(storageName: string, durability: Durability): Promise<ByteStore> {
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
  // Another tab deletes or upgrades the database, and must not have to wait for this tab.
  database.onversionchange = async ({ newVersion }) => {
    const isLost = newVersion === null && !(await isDestroying(storageName));
    closeFromOutside(isLost ? storeLost() : new FixpointError('DATABASE_CLOSED'));
  };
  // The browser closes a connection by itself only after it removed the data.
  database.onclose = () => void closeFromOutside(storeLost());

  const begin = (mode: IDBTransactionMode) => {
    if (closedBy !== undefined) throw closedBy;
    return database.transaction(OBJECT_STORE, mode, { durability });
  };
  const isFilled = !(await isEmpty(database));
  let isMarked = wasWritten(storageName);
  if (isMarked && !isFilled) {
    close();
    throw storeLost();
  }
  if (!isMarked && isFilled) rememberWritten(storageName);
  isMarked ||= isFilled;
  /**
   * Detects removed data. Absent rows are common, but an empty database that was written to isn't,
   * and not every browser reports that it removed an open database.
   */
  const requireContent = async () => {
    if (isMarked && closedBy === undefined && (await isEmpty(database))) throw closeFromOutside(storeLost());
  };
  const readable = () => begin('readonly').objectStore(OBJECT_STORE);
  const guarded = <T>(work: () => Promise<T>) => work().catch((cause) => Promise.reject(storeFailure(cause)));

  return {
    read: (key) =>
      guarded(async () => {
        const found = bytesOf(await resultOf(readable().get(key)));
        if (found === undefined) await requireContent();
        return found;
      }),
    readPrefix: (prefix) =>
      guarded(async () => {
        const found = await rowsIn(readable(), prefix);
        if (found.size === 0) await requireContent();
        return found;
      }),
    keys: (prefix) =>
      guarded(async () => (await resultOf(readable().getAllKeys(rangeOf(prefix)))).map(String)),
    write: (changes, guard) =>
      guarded(async () => {
        const done = await writeAll(begin('readwrite'), changes, guard);
        if (!isMarked && done) rememberWritten(storageName);
        isMarked ||= done;
        if (!done) await requireContent();
        return done;
      }),
    inTurn: (work) => inTurn(`fixpoint:${storageName}:write`, work),
    onClosed: (fn) => {
      onClosed.add(fn);
      return () => void onClosed.delete(fn);
    },
    close: async () => close(),
    destroy: async () => {
      close();
      await guarded(() => deleteDatabase(storageName));
    },
  };
}

async function rowsIn(values: IDBObjectStore, prefix: string): Promise<Map<string, Uint8Array>> {
  const [keys, found] = await Promise.all([
    resultOf(values.getAllKeys(rangeOf(prefix))),
    resultOf(values.getAll(rangeOf(prefix))),
  ]);
  return new Map(keys.map((key, at) => [String(key), bytesOf(found[at]) ?? new Uint8Array()]));
}

/** How long a frozen tab that has the turn can block the others. */
const TURN_MS = 1000;

/** Runs the work while no other tab runs such work, unless a tab with the turn is frozen. */
async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const locks = lockManager();
  if (locks === undefined) return work();
  let done: Promise<T> | undefined;
  const once = () => {
    done ??= work();
    return done;
  };
  // Either the wait or the work failed. The promise of the work reports its failure to the caller.
  await locks.request(name, { signal: AbortSignal.timeout(TURN_MS) }, once).catch(() => undefined);
  return once();
}

/** Other tabs close the database on request, but a frozen one may not. */
const BLOCKED_MS = 5000;

/**
 * Deletes a database and its reserve.
 * @throws FixpointError STORE_LOCKED when another tab doesn't close the database; it is removed
 * when that tab ends
 */
export async function deleteDatabase(storageName: string): Promise<void> {
  // This must be first: a tab that opens the database right after its deletion must not mistake it
  // for a lost one.
  forgetWritten(storageName);
  await destroying(storageName, async () => {
    for (const name of [reserveName(storageName), besideName(storageName), storageName])
      await deleteOne(name);
  });
}

/** Returns undefined where there are no locks: browsers have them on secure pages only. */
const lockManager = (): LockManager | undefined =>
  (globalThis.navigator as Partial<Navigator> | undefined)?.locks;

const destroyLock = (storageName: string): string => `fixpoint:${storageName}:destroy`;

/** Holds a lock during the work, so that other tabs know that the deletion was requested. */
async function destroying(storageName: string, work: () => Promise<void>): Promise<void> {
  const locks = lockManager();
  if (locks === undefined) return work();
  await locks.request(destroyLock(storageName), { mode: 'shared' }, work);
}

async function isDestroying(storageName: string): Promise<boolean> {
  // Without locks, every deletion counts as requested.
  const { held = [] } = (await lockManager()?.query()) ?? { held: [{ name: destroyLock(storageName) }] };
  return held.some(({ name }) => name === destroyLock(storageName));
}

const storeLost = (): FixpointError =>
  new FixpointError('STORE_LOST', 'the browser or its user removed the data of this site');

function deleteOne(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onblocked = () =>
      void setTimeout(() => reject(new FixpointError('STORE_LOCKED', name)), BLOCKED_MS);
    resultOf(request).then(() => resolve(), reject);
  });
}

async function isEmpty(database: IDBDatabase): Promise<boolean> {
  const values = database.transaction(OBJECT_STORE, 'readonly').objectStore(OBJECT_STORE);
  return (await resultOf(values.getAllKeys(undefined, 1))).length === 0;
}

/**
 * The name of the store beside an existing database of another client. In lists of databases, both
 * names mean the same database.
 */
const besideName = (storageName: string): string => `fixpoint.${storageName}`;

async function openOwnDatabase(storageName: string): Promise<IDBDatabase> {
  const beside = besideName(storageName);
  const known = await indexedDB.databases?.().catch(() => []);
  // Use it even if the other client's database was removed since.
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

const openDatabase = (name: string): Promise<IDBDatabase> =>
  openOf(name, OBJECT_STORE).catch((cause: DOMException) => {
    const code = cause.name === 'VersionError' ? 'FORMAT_NEWER' : 'STORE_UNREADABLE';
    throw new FixpointError(code, name, { cause });
  });

/**
 * Resolves when the transaction is complete, which in strict durability means on disk. Guard and
 * changes are requested together, and the transaction ends as soon as the guard is known. Each
 * round trip to the database's process costs as much as all changes together.
 */
async function writeAll(
  transaction: IDBTransaction,
  changes: readonly StoreChange[],
  guard?: Guard,
): Promise<boolean> {
  const values = transaction.objectStore(OBJECT_STORE);
  let isRefused = false;
  if (guard !== undefined) {
    const request = values.get(guard.key);
    request.onsuccess = () => {
      const found = bytesOf(request.result);
      const holds = found && guard.bytes ? equalBytes(found, guard.bytes) : found === guard.bytes;
      if (holds) return transaction.commit?.();
      isRefused = true;
      transaction.abort();
    };
  }
  for (const { key, bytes } of changes) {
    if (bytes === undefined) values.delete(key);
    else values.put(bytes, key);
  }
  if (guard === undefined) transaction.commit?.();
  return completed(transaction).then(
    () => true,
    (cause) => (isRefused ? false : Promise.reject(cause)),
  );
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (value === undefined) return undefined;
  if (value instanceof Uint8Array) return value;
  throw new FixpointError('CORRUPT', 'a stored value is not bytes');
}
