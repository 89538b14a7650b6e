import type { ReservePlace } from '../reserve.ts';
import { completed, openOf, rangeOf, storeFailure } from './transaction.ts';

const OBJECT_STORE = 'reserve';
/**
 * One piece of a reserve. The first one holds the deletes and what a slow writer exceeds the quota
 * by (decision 0121).
 */
const BYTES = 524_288;
/**
 * Chromium counts less than its files grow by until it looks again, up to 30 s later: who writes
 * much by then needs more pieces.
 */
const WRITTEN_PER_PIECE = 2 * BYTES;
const PIECES_MAX = 9;
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
  const removeAll = (records: IDBObjectStore) => records.delete(rangeOf(kind));

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
    take: async (written) => {
      const pieces = Math.min(PIECES_MAX, 1 + Math.floor(written / WRITTEN_PER_PIECE));
      await change((records) => {
        const taken = records.count(rangeOf(key));
        taken.onsuccess = () => {
          if (taken.result === 0) removeAll(records);
          for (let at = taken.result; at < pieces; at++) records.put(randomBytes(BYTES), `${key}:${at}`);
        };
      });
      return pieces === PIECES_MAX ? Number.POSITIVE_INFINITY : pieces * WRITTEN_PER_PIECE;
    },
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
