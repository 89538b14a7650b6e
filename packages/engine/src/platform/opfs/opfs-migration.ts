/**
 * Moves the rows of a database from IndexedDB to OPFS. The rows in IndexedDB are unchanged until
 * all of them are in the files. Then one transaction, during which no other tab has the database
 * open, compares all rows and adds the row `OPFS_KEY`. This transaction gives the database a new
 * version, so each tab that has it open in IndexedDB is closed first, whichever version of the
 * engine it runs.
 */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes, textOf, utf8 } from '../../base/bytes.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import { rowsOf } from '../browser/indexeddb-parts.ts';
import { MOVED_VERSION, OBJECT_STORE, OPFS_KEY, openOwnDatabase } from '../browser/indexeddb-store.ts';
import { completed, resultOf, storeFailure } from '../browser/transaction.ts';
import { append, commit, type LogState, readRow } from './opfs-log.ts';

/** How many rows are read together. */
const BATCH_ROWS = 32;
/**
 * Larger databases stay in IndexedDB, because each open reads the whole log, and a rewrite needs
 * twice its size in memory.
 */
export const MOVED_BYTES_MAX = 50_000_000;
/** How long the move waits for other tabs, which close the database on request. */
const BLOCKED_MS = 5000;
/**
 * How long the old rows stay. Browsers don't promise when the names of new files are durable, so
 * the old rows are removed only after the operating system has had time to write everything.
 */
const OLD_ROWS_MS = 60_000;

/** The content of the row `OPFS_KEY`: when the rows were moved, if old rows may remain. */
export const placeOf = (movedAt?: number): Uint8Array =>
  utf8(movedAt === undefined ? 'opfs' : `opfs ${movedAt}`);

/**
 * Copies the rows to an empty log, and then records in IndexedDB that they are in OPFS.
 * @throws FixpointError STORE_LOCKED if a tab doesn't close the database: until it does, no tab can
 * open the database. All other errors leave the database in IndexedDB unchanged
 */
export async function moveRows(storageName: string, log: LogState, time: Time): Promise<void> {
  const database = await openOwnDatabase(storageName);
  database.onversionchange = () => database.close();
  try {
    await copyChanges(log, (after) =>
      rowsAfter(database.transaction(OBJECT_STORE).objectStore(OBJECT_STORE), after),
    );
    // Most bytes become durable here, while other tabs can still use the database.
    commit(log, true);
  } catch (cause) {
    throw storeFailure(cause);
  } finally {
    database.close();
  }
  await withoutOtherTabs(database.name, time, async (values) => {
    const batch: Batch = (after) => rowsAfter(values, after);
    const isCopied = (await copyChanges(log, batch)) === 0 || (await copyChanges(log, batch)) === 0;
    if (!isCopied) throw new FixpointError('STORE_FAILED', 'the files return other bytes than were written');
    commit(log, true);
    values.put(placeOf(time.now()), OPFS_KEY);
  });
}

/** Returns whether the rows are in OPFS. */
export async function isMoved(storageName: string): Promise<boolean> {
  const database = await openOwnDatabase(storageName);
  try {
    const values = database.transaction(OBJECT_STORE).objectStore(OBJECT_STORE);
    return (await resultOf(values.get(OPFS_KEY))) !== undefined;
  } finally {
    database.close();
  }
}

type Row = readonly [key: string, bytes: Uint8Array];
type Batch = (after: string | undefined) => Promise<readonly Row[]>;

async function rowsAfter(values: IDBObjectStore, after: string | undefined): Promise<readonly Row[]> {
  // The keys of parts are arrays, which follow all texts.
  const range = IDBKeyRange.bound(after ?? '', [], after !== undefined, true);
  const [ofKeys, ofValues] = [values.getAllKeys(range, BATCH_ROWS), values.getAll(range, BATCH_ROWS)];
  const [keys, found] = await Promise.all([resultOf(ofKeys), resultOf(ofValues)]);
  return rowsOf(values, keys, found);
}

/** Reads all rows back from the log, and writes those that differ. Returns how many these were. */
async function copyChanges(log: LogState, batch: Batch): Promise<number> {
  const gone = new Set(log.rows.keys());
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const rows = await batch(after);
    if (rows.length === 0) break;
    const changes = rows.flatMap(([key, bytes]): StoreChange[] => {
      gone.delete(key);
      const copied = readRow(log, key);
      return copied !== undefined && equalBytes(copied, bytes) ? [] : [{ key, bytes }];
    });
    if (changes.length > 0) append(log, changes);
    if (log.liveBytes > MOVED_BYTES_MAX) throw new FixpointError('LIMIT_REACHED', 'it is too large for OPFS');
    count += changes.length;
    after = rows.at(-1)?.[0];
  }
  if (gone.size > 0)
    append(
      log,
      [...gone].map((key) => ({ key, bytes: undefined })),
    );
  return count + gone.size;
}

/** Does work in a transaction that starts when all tabs have closed the database. */
function withoutOtherTabs(
  name: string,
  time: Time,
  work: (values: IDBObjectStore) => Promise<void>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, MOVED_VERSION);
    let [isGivenUp, stop] = [false, () => {}];
    // The database had this version already: another tab has moved the rows.
    let failure: unknown = new FixpointError('STORE_UNREADABLE', 'another tab has moved the rows');
    request.onblocked = () => {
      stop = time.after(BLOCKED_MS, () => {
        isGivenUp = true;
        reject(new FixpointError('STORE_LOCKED', 'close other tabs, or reload them'));
      });
    };
    request.onupgradeneeded = ({ oldVersion }) => {
      stop();
      failure = undefined;
      const transaction = request.transaction as IDBTransaction;
      // Another tab may have deleted the database in the meantime.
      if (isGivenUp || oldVersion !== 1) return transaction.abort();
      work(transaction.objectStore(OBJECT_STORE)).catch((cause) => {
        failure = cause;
        transaction.abort();
      });
    };
    request.onsuccess = () => {
      request.result.close();
      if (failure === undefined) resolve();
      else reject(failure);
    };
    request.onerror = () => reject(storeFailure(failure ?? request.error));
  });
}

/**
 * Completes an earlier move. Call this after all files were read, and before anything is written.
 * @param place the content of the row `OPFS_KEY`
 * @throws FixpointError STORE_FULL, STORE_FAILED
 */
export async function settleMove(storageName: string, place: Uint8Array, time: Time): Promise<void> {
  const [, movedAt] = textOf(place).split(' ');
  if (movedAt === undefined) return;
  const isRecent = Math.abs(time.now() - Number(movedAt)) < OLD_ROWS_MS;
  const database = await openOwnDatabase(storageName);
  try {
    // Browsers may write the transaction of a new version with relaxed durability. If a power loss
    // undid it, the old rows would be back, and hide everything that was written since.
    if (isRecent) return await changeStrictly(database, (values) => values.put(place, OPFS_KEY));
    // Two transactions, because the first one works even when the quota is full.
    const all = IDBKeyRange.lowerBound(OPFS_KEY, true);
    await changeStrictly(database, (values) => values.delete(all));
    await changeStrictly(database, (values) => values.put(placeOf(), OPFS_KEY)).catch(() => undefined);
  } catch (cause) {
    throw storeFailure(cause);
  } finally {
    database.close();
  }
}

async function changeStrictly(
  database: IDBDatabase,
  change: (values: IDBObjectStore) => unknown,
): Promise<void> {
  const transaction = database.transaction(OBJECT_STORE, 'readwrite', { durability: 'strict' });
  change(transaction.objectStore(OBJECT_STORE));
  await completed(transaction);
}
