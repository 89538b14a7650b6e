import { RESERVE_BYTES, type ReservePlace } from '../reserve.ts';
import { completed, storeFailure } from './transaction.ts';

const OBJECT_STORE = 'reserve';
/** getRandomValues gives no more at once. */
const RANDOM_BYTES_MAX = 65_536;

/** Beside the database: what lies in it is read by earlier versions, too. */
export const reserveName = (storageName: string): string => `fixpoint-reserve.${storageName}`;

/**
 * A reserve in an IndexedDB database of its own. Its bytes are random: browsers compress what they store.
 * @param key of the reserve: a database has several
 */
export function indexedDbReserve(storageName: string, key: string): ReservePlace {
  return {
    take: () =>
      within(storageName, async (database) => {
        const values = database.transaction(OBJECT_STORE, 'readonly').objectStore(OBJECT_STORE);
        if ((await resultOf(values.getKey(key))) !== undefined) return;
        const transaction = database.transaction(OBJECT_STORE, 'readwrite');
        const bytes = new Uint8Array(RESERVE_BYTES);
        for (let at = 0; at < bytes.length; at += RANDOM_BYTES_MAX)
          crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES_MAX));
        transaction.objectStore(OBJECT_STORE).put(bytes, key);
        await completed(transaction);
      }),
    giveUp: () =>
      within(storageName, async (database) => {
        const transaction = database.transaction(OBJECT_STORE, 'readwrite');
        transaction.objectStore(OBJECT_STORE).delete(key);
        await completed(transaction);
      }),
  };
}

async function within(storageName: string, work: (database: IDBDatabase) => Promise<void>): Promise<void> {
  try {
    const database = await open(reserveName(storageName));
    database.onversionchange = () => database.close();
    await work(database).finally(() => database.close());
  } catch (cause) {
    throw storeFailure(cause);
  }
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(OBJECT_STORE);
  return resultOf(request);
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
