/** Reads rows of pending writes, and orders them. */
import type { ByteStore } from '../../ports/byte-store.ts';
import { PENDING } from '../../store/names.ts';
import type { Operation } from '../write-queue.ts';
import { decodePending, numberOf, type PendingRow } from './pending-rows.ts';

const inOrder = (a: string, b: string): number => numberOf(a) - numberOf(b) || (a < b ? -1 : 1);

/** Returns the stored rows under a prefix, in the order in which they were written. */
export const readRows = async (
  store: ByteStore,
  prefix: string,
  known: ReadonlyMap<string, PendingRow> = new Map(),
): Promise<PendingRow[]> =>
  [...(await store.readPrefix(prefix))]
    .sort(([a], [b]) => inOrder(a, b))
    .map(([key, bytes]) => known.get(key) ?? decodePending(key, bytes));

/** Returns the rows of all writers that are stored now, in the order in which they were written. */
export async function allRows(store: ByteStore, own: readonly PendingRow[]): Promise<readonly PendingRow[]> {
  const known = new Map(own.map((row) => [row.key, row]));
  const keys = await store.keys(PENDING);
  if (keys.some((key) => !known.has(key))) return readRows(store, PENDING, known);
  return [...keys].sort(inOrder).flatMap((key) => known.get(key) ?? []);
}

/** Returns the last write of each document, in the order of these writes. */
export function newestOf(rows: readonly Pick<PendingRow, 'operations'>[]): Operation[] {
  const newest = new Map<string, Operation>();
  for (const { operations } of rows)
    for (const operation of operations) {
      newest.delete(operation.key);
      newest.set(operation.key, operation);
    }
  return [...newest.values()];
}

/** Returns the time of the newest write; undefined without rows. */
export const newestTime = (rows: readonly PendingRow[]): number | undefined =>
  rows.reduce<number | undefined>((newest, { timeMs }) => Math.max(newest ?? timeMs, timeMs), undefined);
