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

/**
 * Returns the stored rows of all writers, in the order in which they were written, up to the first
 * row that belongs to a later commit.
 * @param own the rows of this writer that belong to this commit
 * @param isOwn returns whether this writer stored a row or is storing it
 */
export async function allRows(
  store: ByteStore,
  own: readonly PendingRow[],
  isOwn: (key: string) => boolean,
): Promise<readonly PendingRow[]> {
  const known = new Map(own.map((row) => [row.key, row]));
  const stored = [...(await store.keys(PENDING))].sort(inOrder);
  const end = stored.findIndex((key) => !known.has(key) && isOwn(key));
  const keys = end < 0 ? stored : stored.slice(0, end);
  if (keys.every((key) => known.has(key))) return keys.flatMap((key) => known.get(key) ?? []);
  const wanted = new Set(keys);
  return (await readRows(store, PENDING, known)).filter(({ key }) => wanted.has(key));
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
