import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { ROW_SHORTCUTS, type Shortcut } from '../commands/shortcuts.ts';

export interface RowFocus {
  /** The row that the tab key leads to. */
  readonly activeAt: number;
  /** A row of which a part got the focus. Always the same function. */
  focused(at: number): void;
  blurred(): void;
  onKeyDown(event: KeyboardEvent): void;
}

/** Where a key leads from a row; undefined for other keys. */
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
  /** Where a row is now, when that is known; another function whenever rows moved. */
  indexOf(id: string): number | undefined;
}

export interface FocusActions<Row> {
  /** How many rows a page key leads past. */
  page(): number;
  /** Brings a row into view. */
  show(at: number): void;
  readonly onDelete?: ((row: Row) => void) | undefined;
  /** The space key. */
  readonly onSelect?: ((row: Row, at: number) => void) | undefined;
  /** F2, and Enter in a cell that is no link. */
  readonly onEdit?: ((at: number, column: string) => void) | undefined;
}

/** One row at a time is in the order of the tab key; arrow keys lead to the others. */
export function useRowFocus<Row>(
  scroller: RefObject<HTMLElement | null>,
  { count, rowAt, rowId, indexOf }: FocusRows<Row>,
  actions: FocusActions<Row>,
): RowFocus {
  const [active, setActive] = useState<{ readonly id: string; readonly at: number }>({ id: '', at: 0 });
  const hasFocus = useRef(false);
  const wanted = useRef(false);
  /** The column that up and down stay in; undefined for that of the link. */
  const column = useRef<string | undefined>(undefined);

  const activeAt = useMemo(() => {
    const moved = active.id === '' ? undefined : indexOf(active.id);
    return moved ?? Math.max(0, Math.min(active.at, count - 1));
  }, [indexOf, count, active]);

  const activate = (at: number) => {
    const row = rowAt(at);
    setActive({ id: row === undefined ? '' : rowId(row), at });
  };

  // The focus goes where a key led it; and when its row was removed, to the row that took the place.
  useLayoutEffect(() => {
    const lost = hasFocus.current && document.activeElement === document.body;
    if (!wanted.current && !lost) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-row="${activeAt}"]`);
    const cell = row && column.current !== undefined ? cellIn(row, column.current) : undefined;
    const part = cell ?? row?.querySelector<HTMLElement>('a, button');
    if (part === null || part === undefined) return;
    wanted.current = false;
    part.focus({ preventScroll: true });
  });

  const latest = useRef({ activeAt, activate });
  latest.current = { activeAt, activate };
  const focused = useCallback((at: number) => {
    hasFocus.current = true;
    if (at !== latest.current.activeAt) latest.current.activate(at);
  }, []);

  return {
    activeAt,
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

/** What a key does to a row; undefined for other keys, and for those that press the link or button they are on. */
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

const columnAt = (target: EventTarget): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-column]')?.dataset['column'] : undefined;

/** What takes the focus in a cell of this column. */
export function cellIn(row: HTMLElement, column: string): HTMLElement | undefined {
  const cell = row.querySelector<HTMLElement>(`[data-column="${CSS.escape(column)}"]`);
  return cell?.querySelector<HTMLElement>('a') ?? cell ?? undefined;
}

/** Left and right lead to the next cell of the row. */
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
