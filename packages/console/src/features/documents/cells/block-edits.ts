/** Turns pasted text and filled blocks into edits of rows. */
import type { CellBlock } from '../../grid/grid-column.ts';
import { isFieldFree } from '../values/field-value.ts';
import { readTsv, type Values } from './block-text.ts';
import { copiedValues } from './copied.ts';
import { type ColumnKind, pastedValue } from './pasted-value.ts';
import type { RowEdit } from './write-cells.ts';

export interface PastePlan {
  readonly fromAt: number;
  readonly rows: number;
  /** The values of each row, by column. A row may have fewer values than there are columns. */
  readonly values: Values;
  readonly columns: readonly string[];
  /** Number of cells beyond the last column, or in columns that can't be changed here. */
  readonly leftOut: number;
}

/**
 * Returns what to write where. The paste begins at the top left of the block. A single value fills
 * the whole block.
 * @param shown all columns, in order
 */
export function planPaste(
  block: CellBlock,
  text: string,
  shown: readonly string[],
  kindOf: (column: string) => ColumnKind,
): PastePlan {
  const { fromAt, toAt } = block;
  const exact = copiedValues(text);
  const cells: Values = exact ?? readTsv(text);
  const isOne = cells.length === 1 && cells[0]?.length === 1;
  const width = isOne
    ? block.columns.length
    : cells.reduce((widest, { length }) => Math.max(widest, length), 0);
  const first = shown.indexOf(block.columns[0] ?? '');
  const columns = shown.slice(first, first + width);
  const kinds = columns.map(kindOf);
  const rows = isOne ? toAt - fromAt + 1 : cells.length;
  const values = Array.from({ length: rows }, (_, at) => {
    const line = (isOne ? cells[0] : cells[at]) ?? [];
    // A line may be shorter than others. Cells beyond its end stay as they are.
    return (isOne ? columns : columns.slice(0, line.length)).map((_column, place) => {
      const value = line[isOne ? 0 : place];
      return exact !== undefined ? value : pastedValue(String(value), kinds[place] ?? 'mixed');
    });
  });
  const leftOut = isOne
    ? rows * columns.filter((field) => !isFieldFree(field)).length
    : cells.reduce((sum, line) => sum + line.filter((value, at) => isLeftOut(value, columns[at])).length, 0);
  return { fromAt, rows, values, columns, leftOut };
}

/** Cells without a value aren't counted. */
const isLeftOut = (value: unknown, field: string | undefined): boolean =>
  value !== undefined && value !== '' && (field === undefined || !isFieldFree(field));

/** @param ids of the rows from `fromAt` on; rows without an id become documents */
export const editsOf = ({ values, columns }: PastePlan, ids: readonly string[]): readonly RowEdit[] =>
  values.map((line, at) => ({
    id: ids[at],
    cells: line.flatMap((value, place) => {
      const field = columns[place];
      return field !== undefined && isFieldFree(field) ? [{ field, value }] : [];
    }),
  }));

/** Returns the edits that copy the first row's values into the other rows. */
export function fillEdits(
  columns: readonly string[],
  [first = []]: Values,
  ids: readonly string[],
): readonly RowEdit[] {
  const cells = columns.flatMap((field, at) => (isFieldFree(field) ? [{ field, value: first[at] }] : []));
  return ids.slice(1).map((id) => ({ id, cells }));
}
