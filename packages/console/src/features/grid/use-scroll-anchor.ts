import { type RefObject, useCallback, useLayoutEffect, useRef } from 'react';

/**
 * Keeps the top row in place when rows above it are added or removed. At the very top, the list
 * stays at the top. `indexOf` returns a row's current position, if known; it must be a new function
 * when rows move. Returns a function to call on each scroll.
 */
export function useScrollAnchor(
  scroller: RefObject<HTMLElement | null>,
  idAt: (at: number) => string | undefined,
  indexOf: (id: string) => number | undefined,
  rowPx: number,
): () => void {
  const anchor = useRef<{ readonly id: string; readonly at: number; readonly offsetPx: number } | undefined>(
    undefined,
  );

  const remember = useCallback(() => {
    const top = scroller.current?.scrollTop ?? 0;
    const at = Math.floor(top / rowPx);
    const id = idAt(at);
    anchor.current = top === 0 || id === undefined ? undefined : { id, at, offsetPx: top - at * rowPx };
  }, [scroller, idAt, rowPx]);

  useLayoutEffect(() => {
    const kept = anchor.current;
    const element = scroller.current;
    if (element === null) return;
    if (kept === undefined) return remember();
    const now = indexOf(kept.id);
    if (now === undefined || now === kept.at) return;
    element.scrollTop = now * rowPx + kept.offsetPx;
    anchor.current = { ...kept, at: now };
  }, [indexOf, rowPx, scroller, remember]);

  return remember;
}
