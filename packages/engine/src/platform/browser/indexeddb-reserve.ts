import type { ReservePlace } from '../reserve.ts';
import { completed, openOf, rangeOf, storeFailure } from './transaction.ts';

const OBJECT_STORE = 'reserve';
/**
 * Size of one piece of a reserve. The first piece is enough for deletes, plus the bytes that a slow
 * writer can write beyond the quota (decision 0121).
 */
const BYTES = 524_288;
/**
 * Chromium underestimates the growth of its files until it measures them again, up to 30 s later. A
 * process that writes much in that time needs more pieces.
 */
const WRITTEN_PER_PIECE = 2 * BYTES;
const PIECES_MAX = 9;
/**
 * Chromium stores longer values as files, and can't store any part of them when the quota is full.
 */
const SMALL_VALUE_BYTES = 65_536;
/** The limit of one call of getRandomValues. */
const RANDOM_BYTES_MAX = 65_536;

/**
 * The reserve is a separate database. If it were in the main database, earlier versions would read
 * it, too.
 */
export const reserveName = (storageName: string): string => `fixpoint-reserve.${storageName}`;

/**
 * Stores a reserve in a separate IndexedDB database. The bytes of the reserve are random, because
 * browsers compress stored data.
 * @param kind distinguishes the reserves of one database. Earlier versions stored 192 kB under a
 * key that consists only of the kind.
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
    aheadBytes: WRITTEN_PER_PIECE / 2,
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
