import { compareKeys, hasPrefix } from './key-order.ts';

export interface Row {
  readonly key: unknown;
  readonly id: string;
  readonly value: unknown;
}

export const compareRows = (a: Row, b: Row): number =>
  compareKeys(a.key, b.key) || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);

/** Position of the first row that `isBefore` does not hold for; the rows must be ordered by it. */
function firstAt(rows: readonly Row[], isBefore: (row: Row) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && isBefore(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Rows with keys from `from` to `to`, both included. */
export function rowsBetween(rows: readonly Row[], from: unknown, to: unknown): readonly Row[] {
  const start = firstAt(rows, ({ key }) => compareKeys(key, from) < 0);
  const end = firstAt(rows, ({ key }) => compareKeys(key, to) <= 0);
  return rows.slice(start, end);
}

export function rowsWithPrefix(rows: readonly Row[], prefix: unknown): readonly Row[] {
  const start = firstAt(rows, ({ key }) => compareKeys(key, prefix) < 0);
  let end = start;
  for (let row = rows[end]; row !== undefined && hasPrefix(row.key, prefix); row = rows[end]) end += 1;
  return rows.slice(start, end);
}

/** Rows without those of the given documents, and with the fresh ones: both inputs ordered, one pass. */
export function mergeRows(rows: readonly Row[], without: ReadonlySet<string>, fresh: Row[]): Row[] {
  fresh.sort(compareRows);
  const merged: Row[] = [];
  let at = 0;
  for (const row of rows) {
    if (without.has(row.id)) continue;
    for (let next = fresh[at]; next !== undefined && compareRows(next, row) < 0; next = fresh[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(row);
  }
  for (; at < fresh.length; at++) merged.push(fresh[at] as Row);
  return merged;
}
