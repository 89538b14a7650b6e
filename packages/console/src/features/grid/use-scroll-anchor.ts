import { type RefObject, useLayoutEffect, useRef } from 'react';

/** Keeps the row at the top of the view where it is when rows come or go above it. At the very top the list stays at the top. */
export function useScrollAnchor<Row>(
  scroller: RefObject<HTMLElement | null>,
  rows: readonly Row[],
  rowId: (row: Row) => string,
  rowPx: number,
): () => void {
  const anchor = useRef<{ readonly id: string; readonly at: number; readonly offsetPx: number } | undefined>(
    undefined,
  );

  const remember = () => {
    const top = scroller.current?.scrollTop ?? 0;
    const at = Math.floor(top / rowPx);
    const row = rows[at];
    anchor.current =
      top === 0 || row === undefined ? undefined : { id: rowId(row), at, offsetPx: top - at * rowPx };
  };

  useLayoutEffect(() => {
    const kept = anchor.current;
    const element = scroller.current;
    if (kept === undefined || element === null) return;
    const now = rows.findIndex((row) => rowId(row) === kept.id);
    if (now < 0 || now === kept.at) return;
    element.scrollTop = now * rowPx + kept.offsetPx;
    anchor.current = { ...kept, at: now };
  }, [rows, rowId, rowPx, scroller]);

  return remember;
}
