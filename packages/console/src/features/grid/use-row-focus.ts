import {
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';

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
    const part = scroller.current?.querySelector<HTMLElement>(`[data-row="${activeAt}"] :is(a, button)`);
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
      const row = rowAt(activeAt);
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

/** What a key does to a row; undefined for other keys, and for a space that presses the button it is on. */
function actOf<Row>(
  { key, target }: KeyboardEvent,
  row: Row,
  at: number,
  { onDelete, onSelect }: FocusActions<Row>,
): (() => void) | undefined {
  if (key === 'Delete' && onDelete !== undefined) return () => onDelete(row);
  if (key !== ' ' || onSelect === undefined) return undefined;
  return target instanceof HTMLAnchorElement ? () => onSelect(row, at) : undefined;
}
