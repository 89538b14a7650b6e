/** Chooses the columns of a table of free-form documents: every field that some document uses. */
import { byUse, type FieldUses, type RowWindow } from 'fixpoint/rows';

/** Positions of fields in imported files, which decide between fields of equal use. */
export type FieldPlaces = ReadonlyMap<string, number>;

/** Returns `_id`, then the other fields: the most used field first. */
export function columnsByUse(uses: FieldUses, places: FieldPlaces): readonly string[] {
  const placeOf = (field: string) => places.get(field) ?? places.size;
  const others = uses.filter(({ field }) => field !== '_id');
  others.sort((a, b) => b.documents - a.documents || placeOf(a.field) - placeOf(b.field));
  return ['_id', ...others.map(({ field }) => field)];
}

/** Returns the columns of an open table: shown ones stay in place, new ones are appended. */
export function columnsAfter(
  shown: readonly string[],
  uses: FieldUses,
  places: FieldPlaces,
): readonly string[] {
  const known = new Set(shown);
  const fresh = columnsByUse(uses, places).filter((field) => !known.has(field));
  return fresh.length === 0 ? shown : [...shown, ...fresh];
}

/** Returns whether the columns would be different, or in another order, for current documents. */
export function columnsAreOld(shown: readonly string[], uses: FieldUses, places: FieldPlaces): boolean {
  const fitting = columnsByUse(uses, places);
  return shown.some((field, at) => field !== fitting[at]);
}

/** Returns the fields of a window, the most used one first. */
export function fieldsByUse({ fields, rows }: RowWindow, places: FieldPlaces): readonly string[] {
  const uses = fields.map((field, at) => ({
    field,
    documents: rows.filter(({ cells }) => cells[at] !== undefined).length,
  }));
  const [, ...others] = columnsByUse(uses.sort(byUse), places);
  return fields.includes('_id') ? ['_id', ...others] : others;
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
