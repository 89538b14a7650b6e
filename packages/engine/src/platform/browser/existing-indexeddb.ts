/**
 * Reads databases of the format's first implementation from IndexedDB. Each database is named
 * `fp.<name>`, and has the object stores `data` (archives and file archives by CID), `meta`
 * (`main`) and others. The key bag is the object store `bag` of the database `fp-keybag`.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { ExistingStore } from '../../ports/existing-store.ts';

const KEY_BAG = 'fp-keybag';

/**
 * Opens the existing database of this name, or returns undefined when there is none.
 * @param storage the name of the database in IndexedDB
 * @throws FixpointError STORE_UNREADABLE
 */
export async function existingBrowserStore(storage: string): Promise<ExistingStore | undefined> {
  const database = await openExisting(storage, ['data', 'meta']);
  if (database === undefined) return undefined;
  const bytesAt = async (store: string, key: string) => {
    const value = await resultOf(database.transaction(store, 'readonly').objectStore(store).get(key));
    return value instanceof Uint8Array ? value : undefined;
  };
  return {
    place: storage,
    readMeta: () => bytesAt('meta', 'main'),
    readArchive: (cid) => bytesAt('data', cid),
    readFileArchive: (cid) => bytesAt('data', cid),
    archives: async () =>
      (await resultOf(database.transaction('data', 'readonly').objectStore('data').getAllKeys())).map(String),
    readKeyRecord: (key) => inKeyBag((bag) => bag.get(key)),
    readKeyRecords: async () => (await inKeyBag((bag) => bag.getAll())) ?? [],
    close: async () => database.close(),
  };
}

/** Sends a request to the key bag. Returns undefined when there is no key bag. */
async function inKeyBag<T>(ask: (bag: IDBObjectStore) => IDBRequest<T>): Promise<T | undefined> {
  const bag = await openExisting(KEY_BAG, ['bag']);
  if (bag === undefined) return undefined;
  try {
    return await resultOf(ask(bag.transaction('bag', 'readonly').objectStore('bag')));
  } finally {
    bag.close();
  }
}

/**
 * Opens a database that has these object stores. Returns undefined, and creates nothing, when there
 * is no such database.
 */
function openExisting(name: string, stores: readonly string[]): Promise<IDBDatabase | undefined> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    let isNew = false;
    request.onupgradeneeded = () => {
      isNew = true;
      request.transaction?.abort();
    };
    request.onsuccess = () => {
      const database = request.result;
      // Close the database when another tab wants to delete it.
      database.onversionchange = () => database.close();
      if (stores.every((store) => database.objectStoreNames.contains(store))) return resolve(database);
      database.close();
      resolve(undefined);
    };
    request.onerror = () =>
      isNew
        ? resolve(undefined)
        : reject(new FixpointError('STORE_UNREADABLE', name, { cause: request.error }));
  });
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () =>
      reject(new FixpointError('STORE_FAILED', request.error?.message, { cause: request.error }));
  });
}
