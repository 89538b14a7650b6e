import type { ReservePlace } from '../reserve.ts';
import { completed, openOf, storeFailure } from './transaction.ts';

const OBJECT_STORE = 'reserve';
/** Holds what browsers exceed a quota by, some hundred kB, and the deletes (decision 0121). */
const BYTES = 524_288;
/** Chromium stores longer values as files, and no byte of them when the quota is full. */
const SMALL_VALUE_BYTES = 65_536;
/** getRandomValues gives no more at once. */
const RANDOM_BYTES_MAX = 65_536;

/** Beside the database: what lies in it is read by earlier versions, too. */
export const reserveName = (storageName: string): string => `fixpoint-reserve.${storageName}`;

/**
 * A reserve in an IndexedDB database of its own. Its bytes are random, since browsers compress
 * what they store.
 * @param kind of the reserve: a database has several. Earlier versions kept 192 kB under it.
 */
export function indexedDbReserve(storageName: string, kind: string): ReservePlace {
  const key = `${kind}:${BYTES}`;
  const removeAll = (records: IDBObjectStore) => records.delete(IDBKeyRange.bound(kind, `${kind}\uffff`));

  async function change(work: (records: IDBObjectStore) => unknown): Promise<void> {
    try {
      const database = await openOf(reserveName(storageName), OBJECT_STORE);
      const transaction = database.transaction(OBJECT_STORE, 'readwrite');
      work(transaction.objectStore(OBJECT_STORE));
      // The connection stays open until the transaction is complete.
      database.close();
      await completed(transaction);
    } catch (cause) {
      throw storeFailure(cause);
    }
  }
  return {
    take: () =>
      change((records) => {
        const taken = records.getKey(key);
        taken.onsuccess = () => {
          if (taken.result !== undefined) return;
          removeAll(records);
          records.put(randomBytes(BYTES), key);
        };
      }),
    giveUp: () => change(removeAll),
    probe: async (bytes) => {
      await change((records) => records.put(randomBytes(bytes + SMALL_VALUE_BYTES), kind));
      await change((records) => records.delete(kind));
    },
  };
}

function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += RANDOM_BYTES_MAX)
    crypto.getRandomValues(bytes.subarray(at, at + RANDOM_BYTES_MAX));
  return bytes;
}
