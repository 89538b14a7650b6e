/**
 * Stores long archives in parts if the engine wants that, so that a block can be read without its
 * whole archive. IndexedDB returns only whole values (docs/decisions/0182, 0195).
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes } from '../../base/bytes.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { resultOf } from './transaction.ts';

/**
 * Chromium stores values of 64 kB and more as files of their own, so removing one frees its space
 * at once, also when the quota is full.
 */
const PART_BYTES = 131_072;

/** Number of removed archives whose parts are removed in the same transaction. */
const REMOVED_AT_ONCE_MAX = 16;

export const PARTED = 'car/';
const mayBeParted = (key: string): boolean => key.startsWith(PARTED);

/**
 * Returns the range of the parts between two offsets. The key of a part is an array with the row's
 * key and the offset of the part. No range of texts contains an array.
 */
export const partsOf = (key: string, from = 0, to = Number.POSITIVE_INFINITY): IDBKeyRange =>
  IDBKeyRange.bound([key, from], [key, to], false, true);

/**
 * Requests changes of rows. If a row is in parts, its value is its length. Removing the parts of a
 * megabyte takes several milliseconds. So when many long archives are removed at once, their parts
 * stay until `removeLooseParts`, because other writers wait for this transaction.
 */
export function changeRows(values: IDBObjectStore, changes: readonly StoreChange[]): void {
  const removed = changes.filter(({ key, bytes }) => bytes === undefined && mayBeParted(key));
  const keepsParts = removed.length > REMOVED_AT_ONCE_MAX;
  for (const { key, bytes, inParts } of changes) {
    if (mayBeParted(key) && !(keepsParts && bytes === undefined)) values.delete(partsOf(key));
    if (bytes === undefined) values.delete(key);
    else if (!inParts || !mayBeParted(key)) values.put(bytes, key);
    else {
      values.put(bytes.length, key);
      for (let at = 0; at < bytes.length; at += PART_BYTES)
        values.put(bytes.slice(at, at + PART_BYTES), [key, at]);
    }
  }
}

/** @throws FixpointError CORRUPT */
export async function readRow(values: IDBObjectStore, key: string): Promise<Uint8Array | undefined> {
  // Both requests at once: a write that compares the row requests its changes right after them.
  const value = resultOf(values.get(key));
  const parts = mayBeParted(key) ? resultOf(values.getAll(partsOf(key))) : [];
  return joined(await value, await parts);
}

/**
 * Returns a part of a row; undefined if the row isn't in parts.
 * @throws FixpointError CORRUPT
 */
export async function readPartOfRow(
  values: IDBObjectStore,
  key: string,
  offset: number,
  length: number,
): Promise<Uint8Array | undefined> {
  if (!mayBeParted(key)) return undefined;
  const skipped = offset % PART_BYTES;
  const parts = await resultOf(values.getAll(partsOf(key, offset - skipped, offset + length)));
  if (parts.length === 0) return undefined;
  return concatBytes(parts.map(bytesOf)).subarray(skipped, skipped + length);
}

/**
 * Returns the bytes of rows. Requests the parts in the transaction of `values`.
 * @throws FixpointError CORRUPT
 */
export const rowsOf = (
  values: IDBObjectStore,
  keys: readonly IDBValidKey[],
  found: readonly unknown[],
): Promise<(readonly [key: string, bytes: Uint8Array])[]> =>
  Promise.all(
    keys.map(async (key, at) => {
      const value = found[at];
      const parts = typeof value === 'number' ? await resultOf(values.getAll(partsOf(String(key)))) : [];
      return [String(key), joined(value, parts) ?? new Uint8Array()] as const;
    }),
  );

function joined(value: unknown, parts: readonly unknown[]): Uint8Array | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number') return bytesOf(value);
  const bytes = concatBytes(parts.map(bytesOf));
  if (bytes.length !== value) throw new FixpointError('CORRUPT', 'a part of a stored value is missing');
  return bytes;
}

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new FixpointError('CORRUPT', 'a stored value is not bytes');
}
