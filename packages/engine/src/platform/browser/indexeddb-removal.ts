/** Removes databases, and parts of removed rows. Loads on first use. */
import { FixpointError } from '@fixpoint/protocol';
import { removeOpfsStore } from '../opfs/opfs-removal.ts';
import { besideName, destroyLock, lockManager } from './indexeddb-names.ts';
import { PARTED, partsOf } from './indexeddb-parts.ts';
import { reserveName } from './indexeddb-reserve.ts';
import { completed, rangeOf, resultOf, storeFailure } from './transaction.ts';
import { forgetWritten } from './written-mark.ts';

/**
 * How long a deletion waits for other tabs. They close the database on request, but a frozen tab
 * may not.
 */
const BLOCKED_MS = 5000;

/**
 * Deletes a database, its reserve and its files in OPFS.
 * @throws FixpointError STORE_LOCKED when another tab doesn't close the database; the browser then
 * removes the database when that tab closes
 */
export const deleteDatabase = (storageName: string): Promise<void> =>
  deleteAll(storageName).catch((cause) => Promise.reject(storeFailure(cause)));

async function deleteAll(storageName: string): Promise<void> {
  // Remove the mark first. Otherwise, a tab that opens the database right after its deletion would
  // report the database as lost.
  forgetWritten(storageName);
  await destroying(storageName, async () => {
    for (const name of [reserveName(storageName), besideName(storageName), storageName])
      await deleteOne(name);
  });
  const { storage } = (globalThis.navigator ?? {}) as Partial<Navigator>;
  if (storage?.getDirectory) await removeOpfsStore(storageName);
}

/** Holds a lock during the work, so that other tabs can see that the deletion was requested. */
async function destroying(storageName: string, work: () => Promise<void>): Promise<void> {
  const locks = lockManager();
  if (locks === undefined) return work();
  await locks.request(destroyLock(storageName), { mode: 'shared' }, work);
}

function deleteOne(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name);
    request.onblocked = () =>
      void setTimeout(() => reject(new FixpointError('STORE_LOCKED', name)), BLOCKED_MS);
    resultOf(request).then(() => resolve(), reject);
  });
}

/**
 * Removes the parts of rows that were removed. Each row has its own transaction, which checks that
 * no tab has written the row again.
 * @param begin starts a transaction
 */
export async function removeLooseParts(begin: (mode: IDBTransactionMode) => IDBObjectStore): Promise<void> {
  const values = begin('readonly');
  const [rows, parts] = await Promise.all([
    resultOf(values.getAllKeys(rangeOf(PARTED))),
    resultOf(values.getAllKeys(IDBKeyRange.lowerBound([]))),
  ]);
  const loose = new Set(parts.map((key) => String((key as IDBValidKey[])[0])));
  for (const key of rows) loose.delete(String(key));
  for (const key of loose) {
    const own = begin('readwrite');
    const done = completed(own.transaction);
    own.count(key).onsuccess = ({ target }) => {
      if ((target as IDBRequest<number>).result === 0) own.delete(partsOf(key));
    };
    await done;
  }
}
