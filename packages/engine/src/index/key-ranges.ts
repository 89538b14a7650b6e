/** Sets of keys of an index: ranges of encoded keys that are sorted and don't overlap. */
import { afterAll, type Bounds } from './key-order.ts';

export type KeyRanges = readonly Bounds[];

export const ALL_KEYS: KeyRanges = [{ from: '', to: undefined }];

/** The range of one encoded key. */
export const only = (key: string): Bounds => ({ from: key, to: afterAll(key) });

const isBefore = (a: string, b: string | undefined): boolean => b === undefined || a < b;
const lesser = (a: string | undefined, b: string | undefined): string | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a;

export function intersection(a: KeyRanges, b: KeyRanges): KeyRanges {
  const both: Bounds[] = [];
  let fromA = 0;
  let fromB = 0;
  for (;;) {
    const one = a[fromA];
    const other = b[fromB];
    if (one === undefined || other === undefined) return both;
    const from = one.from < other.from ? other.from : one.from;
    const to = lesser(one.to, other.to);
    if (isBefore(from, to)) both.push({ from, to });
    if (to === one.to) fromA += 1;
    if (to === other.to) fromB += 1;
  }
}

/** Returns the ranges of all keys that are in at least one of the ranges. */
export function union(ranges: KeyRanges): KeyRanges {
  const sorted = ranges.toSorted((a, b) => (a.from < b.from ? -1 : a.from === b.from ? 0 : 1));
  const joined: Bounds[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || (last.to !== undefined && last.to < range.from)) joined.push(range);
    else if (last.to !== undefined)
      joined[joined.length - 1] = { from: last.from, to: laterEnd(last.to, range.to) };
  }
  return joined;
}

const laterEnd = (a: string, b: string | undefined): string | undefined => (b === undefined || b > a ? b : a);

/** Returns the ranges of all keys that are in none of the ranges. */
export function complement(ranges: KeyRanges): KeyRanges {
  const others: Bounds[] = [];
  let from: string | undefined = '';
  for (const range of ranges) {
    if (from !== undefined && from < range.from) others.push({ from, to: range.from });
    from = range.to;
  }
  if (from !== undefined) others.push({ from, to: undefined });
  return others;
}

/** Returns whether a key is in one of the ranges. */
export function contains(ranges: KeyRanges, key: string): boolean {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle] as Bounds).from <= key) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low - 1];
  return range !== undefined && isBefore(key, range.to);
}
