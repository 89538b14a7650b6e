import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { usePageAction } from '../../ui/page-actions.ts';
import { ROW_SHORTCUTS } from '../../ui/shortcut-groups.ts';
import type { Shortcut } from '../../ui/shortcut-table.ts';
import type { FocusedCell } from './use-kept-place.ts';

export interface RowFocus {
  /** The row that is the tab stop. */
  readonly activeAt: number;
  /** Called when a part of a row got the focus. The function is the same in each render. */
  focused(at: number): void;
  blurred(): void;
  onKeyDown(event: KeyboardEvent): void;
  /** Returns the row and column that have the focus, or had it last. */
  cell(): FocusedCell;
}

/** Returns the row that a key moves to; undefined for other keys. */
export function rowAfterKey(key: string, at: number, count: number, page: number): number | undefined {
  const moved: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const to = Object.hasOwn(moved, key) ? moved[key] : undefined;
  return to === undefined ? undefined : Math.max(0, Math.min(count - 1, to));
}

export interface FocusRows<Row> {
  readonly count: number;
  rowAt(at: number): Row | undefined;
  rowId(row: Row): string;
  /** Returns a row's current position, if known. Must be a new function when rows move. */
  indexOf(id: string): number | undefined;
}

export interface FocusActions<Row> {
  /** Returns the number of rows by which PageUp and PageDown move. */
  page(): number;
  /** Scrolls a row into view. */
  show(at: number): void;
  readonly onDelete?: ((row: Row) => void) | undefined;
  /** Called on the space key. */
  readonly onSelect?: ((row: Row, at: number) => void) | undefined;
  /** Called on F2, and on Enter in a cell without a link. */
  readonly onEdit?: ((at: number, column: string) => void) | undefined;
}

/** Manages a roving tab stop: one row is a tab stop, and arrow keys move to the others. */
export function useRowFocus<Row>(
  scroller: RefObject<HTMLElement | null>,
  { count, rowAt, rowId, indexOf }: FocusRows<Row>,
  actions: FocusActions<Row>,
  initial?: FocusedCell,
): RowFocus {
  const [active, setActive] = useState<{ readonly id: string; readonly at: number }>(
    initial ?? { id: '', at: 0 },
  );
  const hasFocus = useRef(false);
  const wanted = useRef(false);
  const returns = useReturn(initial !== undefined && initial.id !== '');
  /** The column in which the arrow keys move up and down; undefined for the link column. */
  const column = useRef<string | undefined>(initial?.column);

  const activeAt = useMemo(() => {
    const moved = active.id === '' ? undefined : indexOf(active.id);
    return moved ?? Math.max(0, Math.min(active.at, count - 1));
  }, [indexOf, count, active]);

  const activate = (at: number) => setActive({ id: idOf(rowAt(at), rowId) ?? '', at });

  // Moves the focus after a key. If the focused row was removed, moves the focus to the row that is
  // now at its position.
  useLayoutEffect(() => {
    const lost = hasFocus.current && document.activeElement === document.body;
    if (!wanted.current && !lost && !returns.current) return;
    const part = partIn(scroller.current, activeAt, column.current);
    if (part === undefined) return;
    wanted.current = false;
    returns.current = false;
    part.focus({ preventScroll: true });
  });

  const latest = useRef({ activeAt, activate });
  latest.current = { activeAt, activate };
  const focused = useCallback((at: number) => {
    hasFocus.current = true;
    if (at !== latest.current.activeAt) latest.current.activate(at);
  }, []);

  useSteps((by) => {
    if (count === 0) return false;
    // The first key focuses the row that the Tab key would focus.
    const isInside = scroller.current?.contains(document.activeElement) === true;
    const to = isInside ? Math.max(0, Math.min(count - 1, activeAt + by)) : activeAt;
    wanted.current = true;
    activate(to);
    actions.show(to);
    return true;
  });

  return {
    activeAt,
    cell: () => {
      const { at = activeAt, column: now = column.current } = focusedIn(scroller.current);
      return { id: idOf(rowAt(at), rowId) ?? active.id, at, column: now };
    },
    focused,
    blurred: () => {
      hasFocus.current = false;
    },
    onKeyDown: (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !isInRow(event.target)) return;
      if (moveBetweenCells(event)) return;
      const row = rowAt(activeAt);
      column.current = columnAt(event.target);
      const act = row === undefined ? undefined : actOf(event, row, activeAt, actions);
      const to = rowAfterKey(event.key, activeAt, count, actions.page());
      if (act === undefined && to === undefined) return;
      event.preventDefault();
      act?.();
      if (to === undefined) return;
      wanted.current = true;
      activate(to);
      actions.show(to);
    },
  };
}

const isInRow = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('[data-row]') !== null;

/**
 * Returns a key's action on a row; undefined for other keys, and for keys that press the focused
 * link or button.
 */
function actOf<Row>(
  { key, target }: KeyboardEvent,
  row: Row,
  at: number,
  { onDelete, onSelect, onEdit }: FocusActions<Row>,
): (() => void) | undefined {
  if (isOne(key, ROW_SHORTCUTS.remove) && onDelete !== undefined) return () => onDelete(row);
  const column = columnAt(target);
  const isCell = target instanceof HTMLElement && target.dataset['column'] !== undefined;
  if (
    onEdit !== undefined &&
    column !== undefined &&
    (isOne(key, ROW_SHORTCUTS.edit) || (isOne(key, ROW_SHORTCUTS.open) && isCell))
  )
    return () => onEdit(at, column);
  if (!isOne(key, ROW_SHORTCUTS.select) || onSelect === undefined) return undefined;
  return isCell || target instanceof HTMLAnchorElement ? () => onSelect(row, at) : undefined;
}

const idOf = <Row>(row: Row | undefined, rowId: (row: Row) => string): string | undefined =>
  row === undefined ? undefined : rowId(row);

/** Returns the focusable part of a row, in this column if it is in the page. */
function partIn(grid: HTMLElement | null, at: number, column: string | undefined): HTMLElement | undefined {
  const row = grid?.querySelector<HTMLElement>(`[data-row="${at}"]`) ?? undefined;
  const cell = row && column !== undefined ? cellIn(row, column) : undefined;
  return cell ?? row?.querySelector<HTMLElement>('a, button') ?? undefined;
}

/** Acts on the keys for the next and the previous row, which work everywhere on the page. */
function useSteps(step: (by: -1 | 1) => boolean): void {
  usePageAction('nextDocument', () => step(1));
  usePageAction('previousDocument', () => step(-1));
}

/** Returns whether the focus should return to a row, unless the user does something else first. */
function useReturn(isWanted: boolean): { current: boolean } {
  const returns = useRef(isWanted);
  useEffect(() => {
    if (!returns.current) return undefined;
    const end = () => {
      returns.current = false;
    };
    const events = ['keydown', 'pointerdown'] as const;
    for (const event of events) window.addEventListener(event, end, true);
    return () => {
      for (const event of events) window.removeEventListener(event, end, true);
    };
  }, []);
  return returns;
}

/** Reads the page, because the state still names the previous row while the focus moves. */
function focusedIn(grid: HTMLElement | null): Partial<Pick<FocusedCell, 'at' | 'column'>> {
  const { activeElement } = document;
  if (activeElement === null || grid?.contains(activeElement) !== true) return {};
  const at = activeElement.closest<HTMLElement>('[data-row]')?.dataset['row'];
  return { ...(at !== undefined && { at: Number(at) }), column: columnAt(activeElement) };
}

const columnAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-column]')?.dataset['column'] : undefined;

/** Returns the focusable element in this column's cell. */
export function cellIn(row: HTMLElement, column: string): HTMLElement | undefined {
  const cell = row.querySelector<HTMLElement>(`[data-column="${CSS.escape(column)}"]`);
  return cell?.querySelector<HTMLElement>('a') ?? cell ?? undefined;
}

/** Moves the focus to the next cell of the row on left and right. */
function moveBetweenCells(event: KeyboardEvent): boolean {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (step === undefined || !(event.target instanceof Element)) return false;
  const cell = event.target.closest<HTMLElement>('[role=gridcell]');
  const cells = [...(cell?.closest('[data-row]')?.querySelectorAll<HTMLElement>('[role=gridcell]') ?? [])];
  const next = cells[cell === null ? -1 : cells.indexOf(cell) + step];
  if (next === undefined) return false;
  event.preventDefault();
  (next.querySelector<HTMLElement>('a, button, input') ?? next).focus();
  return true;
}

const isOne = (key: string, { keys }: Shortcut): boolean => keys.includes(key);
