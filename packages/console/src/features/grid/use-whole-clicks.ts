import { type MouseEvent, useRef } from 'react';

export interface WholeClicks {
  /** Must be called while the press is captured. */
  onMouseDown(event: MouseEvent): void;
  /** Must be called while the click is captured. Returns whether nothing else may handle it. */
  hasSlipped(event: MouseEvent): boolean;
}

/**
 * Detects clicks that began on a button or another control that moved away before they ended.
 * Browsers report such a click for the row, which would then open instead of, say, being deleted.
 */
export function useWholeClicks(): WholeClicks {
  const pressed = useRef<Element | null>(null);
  return {
    onMouseDown: ({ target }) => {
      pressed.current = controlAt(target);
    },
    hasSlipped: (event) => {
      const control = pressed.current;
      pressed.current = null;
      if (control === null || control === controlAt(event.target)) return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

/** Returns the link, button or field that contains an element. */
export const controlAt = (target: EventTarget): Element | null =>
  target instanceof Element ? target.closest('a, button, input, select, label') : null;
