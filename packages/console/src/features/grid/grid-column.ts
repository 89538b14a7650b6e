/** What a grid shows, and what can be done with its rows and columns. */
import type { ReactNode } from 'react';
import { TEXT_SCALE } from '../../ui/text-scale.ts';

export interface GridColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** What its cell shows of a row: short, for it is read whenever the row comes into view. */
  text(row: Row): string;
  readonly look?: CellLook | ((row: Row) => CellLook);
  /** What a sign behind the link says of the row. */
  mark?(row: Row): string | undefined;
  /** Stays at the left while the others scroll; such columns come first. */
  readonly pinned?: boolean;
  /** Chosen by the user; without, what its first rows ask for. */
  readonly widthPx?: number | undefined;
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

export type CellLook = 'plain' | 'id' | 'muted' | 'number' | 'code';

/** What a grid shows: rows by their place, some of which may still be on their way. */
export interface GridRows<Row> {
  readonly count: number;
  rowAt(at: number): Row | undefined;
  /** Different for each row. */
  rowId(row: Row): string;
  /** Where a row is, when that is known. It is another function whenever rows moved, and the same one otherwise. */
  indexOf(id: string): number | undefined;
}

/** What the user can do with columns. */
export interface ColumnActions {
  /** A click on the heading. */
  sort?(id: string): void;
  /** The width that the user gave it; undefined for the one that fits. */
  resize(id: string, widthPx: number | undefined): void;
  /** The column was dropped on the place of another one. */
  move(id: string, onto: string): void;
  /** Items of the menu of a column. */
  menu(id: string): ReactNode;
}

export interface RowAction<Row> {
  /** What a screen reader calls it, row by row. */
  label(row: Row): string;
  readonly icon: ReactNode;
  run(row: Row): void;
}

/** Cells that can be changed where they are. */
export interface CellEditing<Row> {
  canEdit(columnId: string): boolean;
  /** A tap on a cell edits it, in place of opening the row. */
  readonly byTap?: boolean;
  /** What stands in the cell meanwhile. It takes the focus, and calls back when it is done. */
  editor(row: Row, columnId: string, onClose: () => void): ReactNode;
}

/** Rows that are chosen for what is done with many. */
export interface GridSelection {
  isSelected(id: string): boolean;
  readonly all: 'none' | 'some' | 'all';
  toggleAll(): void;
  /** `toHere`: from the row that was chosen last. */
  toggle(at: number, id: string, toHere: boolean): void;
}

/** A column with its place in the row. */
export interface PlacedColumn<Row> {
  readonly column: GridColumn<Row>;
  readonly at: number;
  readonly leftPx: number;
  readonly widthPx: number;
}

export const ROW_PX = 40 * TEXT_SCALE;
export const ACTION_PX = 48 * TEXT_SCALE;
export const SELECT_PX = 40 * TEXT_SCALE;
