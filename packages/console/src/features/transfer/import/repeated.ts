/** Decides which of several rows with the same id an import keeps. */
import { type Choices, type Fate, fateOf, isSkipped, type Mask } from './problems.ts';

/** Position of a row among the rows of all files. Later rows have larger numbers. */
export type RowPlace = number;

const ROWS_MAX = 2 ** 32;
export const placeOf = (file: number, { at }: { readonly at: number }): RowPlace => file * ROWS_MAX + at;
const fileAt = (place: RowPlace): number => Math.floor(place / ROWS_MAX);

/** Rows of one file that have the same id and the same other problems. */
interface AlikeRows {
  readonly file: number;
  readonly mask: Mask;
  rows: number;
  readonly first: RowPlace;
  last: RowPlace;
}

/** All rows with one id. */
export type SameId = readonly AlikeRows[];
/** The rows of each id that several rows have. */
export type Repeated = ReadonlyMap<string, SameId>;

export function addRow(rows: AlikeRows[], place: RowPlace, mask: Mask): void {
  const file = fileAt(place);
  const alike = rows.find((one) => one.file === file && one.mask === mask);
  if (alike === undefined) rows.push({ file, mask, rows: 1, first: place, last: place });
  else {
    alike.rows += 1;
    alike.last = place;
  }
}

/**
 * Returns the row that keeps the id: the first or the last one that isn't skipped for another
 * problem. Undefined if all of them are skipped.
 */
export function keptPlace(rows: SameId, choices: Choices): RowPlace | undefined {
  const left = rows.filter(({ mask }) => !isSkipped(mask, choices));
  const places = left.map(({ first, last }) => (choices.twice === 'last' ? last : first));
  return places.toSorted((a, b) => a - b).at(choices.twice === 'last' ? -1 : 0);
}

export interface RowOfId {
  readonly place: RowPlace;
  /** The problems of the row, except that other rows have its id. */
  readonly mask: Mask;
  /** Undefined if no other row has its id. */
  readonly sameId: SameId | undefined;
}

export const fateOfRow = ({ place, mask, sameId }: RowOfId, choices: Choices): Fate =>
  fateOf(mask, choices, sameId !== undefined && keptPlace(sameId, choices) !== place);

/** Ids whose rows have the same problems in the same order. */
export interface AlikeIds {
  readonly rows: SameId;
  ids: number;
}

/** Groups ids whose rows always have the same fates, because a file may repeat a million ids. */
export function alikeIds(repeated: Repeated): readonly AlikeIds[] {
  const groups = new Map<string, AlikeIds>();
  for (const rows of repeated.values()) {
    const byEnd = rows.toSorted((a, b) => a.last - b.last);
    const key = rows.map((one) => [one.file, one.mask, one.rows, byEnd.indexOf(one)].join()).join(' ');
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { rows, ids: 1 });
    else group.ids += 1;
  }
  return [...groups.values()];
}

/** Calls `count` with the fates of the rows of these ids. */
export function countRepeated(
  groups: readonly AlikeIds[],
  choices: Choices,
  count: (fate: Fate, file: number, rows: number) => void,
): void {
  for (const { rows, ids } of groups) {
    const kept = keptPlace(rows, choices);
    for (const { file, mask, rows: alike, first, last } of rows) {
      const keeps = kept === first || kept === last;
      if (keeps) count(fateOf(mask, choices), file, ids);
      count(fateOf(mask, choices, true), file, (alike - (keeps ? 1 : 0)) * ids);
    }
  }
}
