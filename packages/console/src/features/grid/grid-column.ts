/** Declares what a grid shows, and the actions on its rows and columns. */
import type { ReactNode } from 'react';
import { TEXT_SCALE } from '../../ui/theme/text-scale.ts';

export interface GridColumn<Row> {
  readonly id: string;
  readonly label: string;
  /** Returns the cell's text. Must be fast: it is called whenever the row comes into view. */
  text(row: Row): string;
  /**
   * Returns the whole text if `text` is only a part of it, as for long ids. The row's link shows it
   * on hover and focus.
   */
  whole?(row: Row): string;
  /** By default, links look like ids. */
  readonly look?: CellLook | ((row: Row) => CellLook);
  /** Whether the column contains numbers, so that its heading is at the right too. */
  readonly isNumeric?: boolean;
  /** Decorative icon before the label. */
  readonly icon?: ReactNode;
  /** Returns the label of a mark after the row's link; undefined for no mark. */
  mark?(row: Row): string | undefined;
  /** Whether the column stays at the left while others scroll. Pinned columns must be first. */
  readonly pinned?: boolean;
  /** Width that the user set; by default, the column fits the first rows. */
  readonly widthPx?: number | undefined;
  readonly sorted?: 'ascending' | 'descending' | undefined;
}

export type CellLook = 'plain' | 'id' | 'muted' | 'number' | 'code';

/** Provides a grid's rows by position; some may still be loading. */
export interface GridRows<Row> {
  readonly count: number;
  rowAt(at: number): Row | undefined;
  /** Unique for each row. */
  rowId(row: Row): string;
  /**
   * Returns a row's position, if known. Must be a new function when rows move, and otherwise the
   * same one.
   */
  indexOf(id: string): number | undefined;
}

/** Defines the user's actions on columns. */
export interface ColumnActions {
  /** Called on a click on the heading. */
  sort?(id: string): void;
  /** Sets the width that the user chose; undefined resets the column to fit its content. */
  resize(id: string, widthPx: number | undefined): void;
  /** Called when the column is dropped on another one. */
  move(id: string, onto: string): void;
  /** Returns the items of a column's menu. */
  menu(id: string): ReactNode;
}

export interface RowAction<Row> {
  /** Returns the accessible name for a row. */
  label(row: Row): string;
  readonly icon: ReactNode;
  run(row: Row): void;
}

/** Describes cells that can be edited in place. */
export interface CellEditing<Row> {
  canEdit(columnId: string): boolean;
  /** Whether a tap on a cell edits it instead of opening the row. */
  readonly byTap?: boolean;
  /** Renders the editor in the cell. The editor takes the focus, and calls `onClose` when done. */
  editor(row: Row, columnId: string, onClose: () => void): ReactNode;
}

/** Holds the rows selected for bulk actions. */
export interface GridSelection {
  isSelected(id: string): boolean;
  readonly all: 'none' | 'some' | 'all';
  toggleAll(): void;
  /** `toHere` selects the range from the row that was toggled last to this one. */
  toggle(at: number, id: string, toHere: boolean): void;
}

/** Where a user was in a grid: scroll position, and the focused row and column. */
export interface GridPlace {
  readonly topPx: number;
  readonly leftPx: number;
  readonly at: number;
  /** Empty if no row had the focus. */
  readonly id: string;
  readonly column: string | undefined;
}

export interface KeptPlace {
  /** The place to return to. */
  readonly initial: GridPlace | undefined;
  /** Called when the user scrolls or moves the focus. */
  changed(place: GridPlace): void;
}

/** A rectangle of cells: rows by position, and columns in their order. */
export interface CellBlock {
  readonly fromAt: number;
  /** The last row. */
  readonly toAt: number;
  readonly columns: readonly string[];
}

/** The user's actions on a block of cells, or on one cell. All functions must be stable. */
export interface BlockActions {
  /** Called with the browser's event, which takes the copied text. */
  copy(block: CellBlock, event: ClipboardEvent): void;
  paste?(block: CellBlock, text: string): void;
  /** Copies the values of the first row into the other rows. */
  fillDown?(block: CellBlock): void;
  /**
   * Called instead of the others while a corner of the selected block isn't loaded, or has been
   * deleted.
   */
  lost?(what: 'copy' | 'paste' | 'fill'): void;
  /**
   * Called with the selected block, and with a function that clears it. The block is undefined if
   * at most one cell is selected.
   */
  changed?(block: CellBlock | undefined, clear: () => void): void;
  /**
   * Whether a tap on a cell selects it, and a tap on a second cell the block between them, for
   * users without Shift.
   */
  readonly byTap?: boolean;
}

/** Describes a column and its position in the row. */
export interface PlacedColumn<Row> {
  readonly column: GridColumn<Row>;
  readonly at: number;
  readonly leftPx: number;
  readonly widthPx: number;
}

export const ROW_PX = 32 * TEXT_SCALE;
/** Height of a row in the comfortable mode. */
export const COMFORTABLE_ROW_PX = 40 * TEXT_SCALE;
/** Height of a row in the list of a small screen. */
export const LIST_ROW_PX = 58 * TEXT_SCALE;
export const HEAD_PX = 28 * TEXT_SCALE;
export const ACTION_PX = 40 * TEXT_SCALE;
export const SELECT_PX = 40 * TEXT_SCALE;
