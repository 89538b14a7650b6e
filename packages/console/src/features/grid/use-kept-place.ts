import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { KeptPlace } from './grid-column.ts';

/** The focused row and column. */
export interface FocusedCell {
  readonly id: string;
  readonly at: number;
  readonly column: string | undefined;
}

/**
 * Restores the scroll position as soon as enough rows are known, and reports the position. The user
 * can scroll at any time, which ends the restoration. Returns a function to call on each scroll.
 */
export function useKeptPlace(
  scroller: RefObject<HTMLElement | null>,
  kept: KeptPlace | undefined,
  focused: () => FocusedCell,
): () => void {
  const pending = useRef(kept?.initial);
  const latest = useRef({ kept, focused });
  latest.current = { kept, focused };
  useLayoutEffect(() => {
    const element = scroller.current;
    const place = pending.current;
    if (element === null || place === undefined) return;
    element.scrollTop = place.topPx;
    element.scrollLeft = place.leftPx;
    if (element.scrollTop >= place.topPx - 1) pending.current = undefined;
  });
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    const end = () => {
      pending.current = undefined;
    };
    const events = ['wheel', 'pointerdown', 'keydown', 'touchstart'] as const;
    for (const event of events) element.addEventListener(event, end, { passive: true });
    return () => {
      for (const event of events) element.removeEventListener(event, end);
    };
  }, [scroller]);
  return useCallback(() => {
    const element = scroller.current;
    const { kept: place, focused: cell } = latest.current;
    if (element === null || place === undefined || pending.current !== undefined) return;
    place.changed({ topPx: element.scrollTop, leftPx: element.scrollLeft, ...cell() });
  }, [scroller]);
}
