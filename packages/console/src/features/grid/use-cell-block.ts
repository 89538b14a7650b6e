import {
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ROW_SHORTCUTS } from '../../ui/shortcut-groups.ts';
import type { BlockActions, CellBlock, GridRows } from './grid-column.ts';
import { cellIn, rowAfterKey } from './use-row-focus.ts';
import { controlAt } from './use-whole-clicks.ts';

interface CellPlace {
  readonly at: number;
  readonly column: string;
}

/** Two opposite corners. Rows are identified by their ids, because they may move. */
interface Corners {
  readonly from: { readonly id: string; readonly column: string };
  readonly to: { readonly id: string; readonly column: string };
}

export interface BlockOfCells {
  /** The selected block; undefined if at most one cell is selected. */
  readonly block: CellBlock | undefined;
  /** The columns of the block, for a fast look-up. The object is the same while the block is. */
  readonly columns: ReadonlySet<string>;
  /** Returns whether the grid itself must ignore the key. */
  onKeyDown(event: KeyboardEvent): boolean;
  /** Must be called while the event is captured, so that the row doesn't open. */
  onClick(event: MouseEvent): void;
  /** Keeps Shift and click from selecting text. */
  onMouseDown(event: MouseEvent): void;
  /**
   * Must not be called while a click is captured. A checkbox that is rendered again before its
   * click arrives doesn't change.
   */
  clear(): void;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Holds a selected block of cells: Shift with an arrow key, or Shift and a click, selects up to
 * another cell; so does a second tap, in a mode for touch. Copies, pastes and fills the block, or
 * the focused cell.
 */
export function useCellBlock<Row>(
  scroller: RefObject<HTMLElement | null>,
  rows: GridRows<Row>,
  columnIds: readonly string[],
  actions: BlockActions | undefined,
): BlockOfCells {
  const [corners, setCorners] = useState<Corners>();
  const block = useMemo(() => blockOf(corners, rows, columnIds), [corners, rows, columnIds]);
  const columns = useMemo(() => (block === undefined ? NONE : new Set(block.columns)), [block]);
  const latest = useRef({ rows, columnIds, actions, block, corners });
  latest.current = { rows, columnIds, actions, block, corners };
  const changed = actions?.changed;
  const clear = useCallback(() => setCorners(undefined), []);
  useEffect(() => changed?.(block, clear), [changed, block, clear]);
  useClipboard(scroller, latest);

  const extend = (from: CellPlace, to: CellPlace) => {
    const cornerAt = ({ at, column }: CellPlace) => {
      const row = rows.rowAt(at);
      return row === undefined ? undefined : { id: rows.rowId(row), column };
    };
    const [first, last] = [corners?.from ?? cornerAt(from), cornerAt(to)];
    if (first !== undefined && last !== undefined) setCorners({ from: first, to: last });
  };
  return {
    block,
    columns,
    clear,
    onKeyDown: (event) => {
      const place = actions && placeOf(event.target);
      if (place === undefined) return false;
      const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
      if ((ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === FILL_KEY) {
        event.preventDefault();
        if (actions?.fillDown !== undefined && isLost(latest.current)) actions.lost?.('fill');
        else actions?.fillDown?.(block ?? aboveOf(place));
        return true;
      }
      if (ctrlKey || metaKey || altKey) return false;
      if (key === 'Escape' && corners !== undefined) {
        // Escape would also clear the selected rows.
        event.preventDefault();
        clear();
        return true;
      }
      const next = key.startsWith('Arrow') ? nextPlace(key, place, rows.count, columnIds) : undefined;
      if (shiftKey && next !== undefined) extend(place, next);
      else if (next !== undefined) clear();
      return false;
    },
    onMouseDown: (event) => {
      if (actions !== undefined && event.shiftKey && clickedPlace(event.target) !== undefined)
        event.preventDefault();
    },
    onClick: (event) => {
      const isTap = actions?.byTap === true;
      const place = isTap || (actions && event.shiftKey) ? clickedPlace(event.target) : undefined;
      if (place === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      extend((isTap ? undefined : placeOf(document.activeElement)) ?? place, place);
      const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${place.at}"]`);
      if (row) cellIn(row, place.column)?.focus({ preventScroll: true });
    },
  };
}

const FILL_KEY = ROW_SHORTCUTS.fill.keys[0].at(-1);

/** Without a block, a cell is filled with the value of the cell above. */
const aboveOf = ({ at, column }: CellPlace): CellBlock => ({
  fromAt: Math.max(0, at - 1),
  toAt: at,
  columns: [column],
});

function blockOf<Row>(
  corners: Corners | undefined,
  { indexOf }: GridRows<Row>,
  columnIds: readonly string[],
): CellBlock | undefined {
  if (corners === undefined) return undefined;
  const { from, to } = corners;
  const rows = [indexOf(from.id), indexOf(to.id)];
  const [left, right] = [columnIds.indexOf(from.column), columnIds.indexOf(to.column)];
  const [a, b] = rows;
  if (a === undefined || b === undefined || left < 0 || right < 0) return undefined;
  return {
    fromAt: Math.min(a, b),
    toAt: Math.max(a, b),
    columns: columnIds.slice(Math.min(left, right), Math.max(left, right) + 1),
  };
}

/** Returns the cell of the table that contains an element. */
function placeOf(target: EventTarget | null): CellPlace | undefined {
  if (!(target instanceof Element)) return undefined;
  const cell = target.closest<HTMLElement>('[data-column]');
  const column = cell?.dataset['column'];
  const at = Number(cell?.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? Number.NaN);
  return column === undefined || Number.isNaN(at) ? undefined : { at, column };
}

/** Links and buttons have clicks of their own. */
const clickedPlace = (target: EventTarget): CellPlace | undefined =>
  controlAt(target) === null ? placeOf(target) : undefined;

function nextPlace(
  key: string,
  { at, column }: CellPlace,
  count: number,
  columnIds: readonly string[],
): CellPlace | undefined {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
  if (step === undefined) return { at: rowAfterKey(key, at, count, 1) ?? at, column };
  const next = columnIds[columnIds.indexOf(column) + step];
  return next === undefined ? undefined : { at, column: next };
}

interface Latest {
  readonly current: {
    readonly actions: BlockActions | undefined;
    readonly block: CellBlock | undefined;
    readonly corners: Corners | undefined;
  };
}

/** Returns whether a block is selected whose place isn't known. Other cells must not replace it. */
const isLost = ({ block, corners }: Latest['current']): boolean =>
  block === undefined && corners !== undefined;

/**
 * Handles copy and paste while a cell has the focus. Browsers send these events to the page if no
 * text is selected.
 */
function useClipboard(scroller: RefObject<HTMLElement | null>, latest: Latest): void {
  useEffect(() => {
    const focused = (): CellBlock | undefined => {
      const { activeElement } = document;
      if (scroller.current?.contains(activeElement) !== true) return undefined;
      if (activeElement?.closest('input:not([type=checkbox]), textarea, select') != null) return undefined;
      const place = placeOf(activeElement);
      if (place === undefined) return undefined;
      return latest.current.block ?? { fromAt: place.at, toAt: place.at, columns: [place.column] };
    };
    const onCopy = (event: ClipboardEvent) => {
      const block = window.getSelection()?.isCollapsed === false ? undefined : focused();
      if (block === undefined) return;
      if (!isLost(latest.current)) latest.current.actions?.copy(block, event);
      else {
        event.preventDefault();
        latest.current.actions?.lost?.('copy');
      }
    };
    const onPaste = (event: ClipboardEvent) => {
      const text = event.clipboardData?.getData('text/plain');
      const block = text === undefined || text === '' ? undefined : focused();
      const paste = latest.current.actions?.paste;
      if (block === undefined || text === undefined || paste === undefined) return;
      event.preventDefault();
      if (isLost(latest.current)) latest.current.actions?.lost?.('paste');
      else paste(block, text);
    };
    document.addEventListener('copy', onCopy);
    document.addEventListener('paste', onPaste);
    return () => {
      document.removeEventListener('copy', onCopy);
      document.removeEventListener('paste', onPaste);
    };
  }, [scroller, latest]);
}
