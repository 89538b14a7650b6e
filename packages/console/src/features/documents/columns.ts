/** The columns of a table of free-form documents: the fields that any of them uses. */
import type { FieldUses } from 'fixpoint/rows';
import { truncate } from '../../ui/truncate.ts';

/** `_id` first, then the fields that most documents use; among equals by name. */
export const columnsByUse = (uses: FieldUses): readonly string[] => [
  '_id',
  ...uses.map(({ field }) => field).filter((field) => field !== '_id'),
];

/** The columns of an open table: those that it shows already stay where they are, new ones come behind them. */
export function columnsAfter(shown: readonly string[], uses: FieldUses): readonly string[] {
  const known = new Set(shown);
  const fresh = columnsByUse(uses).filter((field) => !known.has(field));
  return fresh.length === 0 ? shown : [...shown, ...fresh];
}

/** Whether other columns, or another order, would fit what the documents are now. */
export function columnsAreOld(shown: readonly string[], uses: FieldUses): boolean {
  const fitting = columnsByUse(uses);
  return shown.some((field, at) => field !== fitting[at]);
}

const LABEL_CHARS_MAX = 120;

/** Fields may have the empty name, or one that fills pages. */
export const fieldLabel = (field: string): string =>
  field === '' ? '(empty name)' : truncate(field, LABEL_CHARS_MAX);

export const columnLabel = (field: string): string => (field === '_id' ? 'document id' : fieldLabel(field));

/** Columns that are read together, and so far beside those in view. */
const TOGETHER = 20;
const BESIDE = 8;

/** What is read for columns in view: those beside them, too, in groups. Who scrolls to the side reads the rows again with each group, not with each column. */
export function columnsToRead(all: readonly string[], visible: readonly string[]): readonly string[] {
  const places = new Map(all.map((field, at) => [field, at]));
  const groups = new Set<number>();
  for (const field of visible) {
    const at = places.get(field) ?? 0;
    for (const near of [at - BESIDE, at, at + BESIDE]) groups.add(Math.floor(near / TOGETHER));
  }
  return all.filter((_field, at) => groups.has(Math.floor(at / TOGETHER)));
}
