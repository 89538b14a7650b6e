import { type KeyboardEvent, type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';

export interface RowFocus {
  /** The row that the tab key leads to. */
  readonly activeAt: number;
  /** A row of which a part got the focus. */
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

/** One row at a time is in the order of the tab key; arrow keys lead to the others. */
export function useRowFocus<Row>(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  rowId: (row: Row) => string,
  options: {
    readonly page: () => number;
    readonly show: (at: number) => void;
    readonly onDelete?: ((row: Row) => void) | undefined;
  },
): RowFocus {
  const [active, setActive] = useState<{ readonly id: string; readonly at: number }>({ id: '', at: 0 });
  const hasFocus = useRef(false);
  const wanted = useRef(false);

  const activeAt = useMemo(() => {
    const row = rows[active.at];
    if (row !== undefined && rowId(row) === active.id) return active.at;
    const moved = active.id === '' ? -1 : rows.findIndex((one) => rowId(one) === active.id);
    return moved >= 0 ? moved : Math.max(0, Math.min(active.at, rows.length - 1));
  }, [rows, rowId, active]);

  const activate = (at: number) => {
    const row = rows[at];
    if (row !== undefined) setActive({ id: rowId(row), at });
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

  return {
    activeAt,
    focused: (at) => {
      hasFocus.current = true;
      if (at !== activeAt) activate(at);
    },
    blurred: () => {
      hasFocus.current = false;
    },
    onKeyDown: (event) => {
      const row = rows[activeAt];
      if (event.ctrlKey || event.metaKey || event.altKey || row === undefined) return;
      if (event.key === 'Delete' && options.onDelete !== undefined) {
        event.preventDefault();
        options.onDelete(row);
        return;
      }
      const to = rowAfterKey(event.key, activeAt, rows.length, options.page());
      if (to === undefined) return;
      event.preventDefault();
      wanted.current = true;
      activate(to);
      options.show(to);
    },
  };
}
