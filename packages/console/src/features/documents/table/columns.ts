/** Chooses the columns of a table of free-form documents: every field that some document uses. */
import type { FieldUses } from 'fixpoint/rows';

/** Returns `_id`, then the other fields in the order of `uses`: the most used field first. */
export const columnsByUse = (uses: FieldUses): readonly string[] => [
  '_id',
  ...uses.map(({ field }) => field).filter((field) => field !== '_id'),
];

/** Returns the columns of an open table: shown ones stay in place, new ones are appended. */
export function columnsAfter(shown: readonly string[], uses: FieldUses): readonly string[] {
  const known = new Set(shown);
  const fresh = columnsByUse(uses).filter((field) => !known.has(field));
  return fresh.length === 0 ? shown : [...shown, ...fresh];
}

/** Returns whether the columns would be different, or in another order, for current documents. */
export function columnsAreOld(shown: readonly string[], uses: FieldUses): boolean {
  const fitting = columnsByUse(uses);
  return shown.some((field, at) => field !== fitting[at]);
}

/** Number of columns in a group. */
const TOGETHER = 20;
/** Minimum number of columns to read on each side of the visible ones. */
const BESIDE = 8;

/**
 * Returns the columns to read: all groups that contain visible columns or their neighbours. So when
 * the user scrolls sideways, rows are read again once per group, not once per column.
 */
export function columnsToRead(all: readonly string[], visible: readonly string[]): readonly string[] {
  const places = new Map(all.map((field, at) => [field, at]));
  const groups = new Set<number>();
  for (const field of visible) {
    const at = places.get(field) ?? 0;
    for (const near of [at - BESIDE, at, at + BESIDE]) groups.add(Math.floor(near / TOGETHER));
  }
  return all.filter((_field, at) => groups.has(Math.floor(at / TOGETHER)));
}
