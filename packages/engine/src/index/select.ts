import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Pace } from '../base/pace.ts';
import type { ReadNode } from '../prolly/node.ts';
import { scan } from '../prolly/scan.ts';
import type { QueryOptions } from './define.ts';
import { type Bounds, boundsOfKey, boundsOfPrefix, boundsOfRange, decodeKey } from './key-order.ts';
import { ALL_KEYS, intersection, type KeyRanges } from './key-ranges.ts';
import { decodeValue } from './row-value.ts';
import type { IndexState } from './state.ts';

export interface Row {
  readonly key: unknown;
  readonly id: string;
  readonly value: unknown;
}

/**
 * Returns the rows that the options select; reads only the part of the tree that contains them.
 * @param keys ignores all other keys
 */
export async function select(
  read: ReadNode,
  { byKey }: IndexState,
  options: QueryOptions,
  pace: Pace,
  keys: KeyRanges = ALL_KEYS,
): Promise<readonly Row[]> {
  const { limit = Number.POSITIVE_INFINITY, descending = false } = options;
  const rows: Row[] = [];
  for (const bounds of within(keys, boundsFor(options), descending)) {
    if (rows.length >= limit) break;
    for await (const entries of scan(read, byKey, { ...bounds, descending })) {
      for (const [treeKey, value] of entries) {
        if (rows.length >= limit) break;
        rows.push(rowOf(treeKey, value));
      }
      if (rows.length >= limit) break;
      if (pace.isDue()) await pace.rest();
    }
  }
  return rows;
}

function within(keys: KeyRanges, wanted: readonly Bounds[], descending: boolean): readonly Bounds[] {
  if (keys === ALL_KEYS) return wanted;
  return wanted.flatMap((bounds) => {
    const parts = intersection([bounds], keys);
    return descending ? parts.toReversed() : parts;
  });
}

/**
 * Returns the bounds of the requested rows in the tree, in the order in which the rows are
 * returned.
 * @throws FixpointError QUERY_INVALID for values without an order
 */
function boundsFor(options: QueryOptions): readonly Bounds[] {
  try {
    return boundsOf(options);
  } catch (cause) {
    throw isFixpointError(cause, 'MAP_FAILED')
      ? new FixpointError('QUERY_INVALID', 'the requested value cannot be a key', { cause })
      : cause;
  }
}

function boundsOf({ range, key, keys, prefix, descending = false }: QueryOptions): readonly Bounds[] {
  if (range !== undefined) return [boundsOfRange(range)];
  if (key !== undefined) return [boundsOfKey(key)];
  if (keys !== undefined) return keys.map(boundsOfKey);
  if (prefix === undefined) return ALL_KEYS;
  const parts = boundsOfPrefix(prefix);
  return descending ? parts.toReversed() : parts;
}

function rowOf(treeKey: string, value: Uint8Array | null): Row {
  const { key, end } = decodeKey(treeKey);
  const idEnd = treeKey.indexOf('\u0000', end);
  return { key, id: idEnd < 0 ? treeKey.slice(end) : treeKey.slice(end, idEnd), value: decodeValue(value) };
}
