import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

export interface Drawer {
  readonly open: boolean;
  readonly toggle: () => void;
  readonly close: () => void;
  /** The button that opens the drawer, which gets the focus back. */
  readonly button: RefObject<HTMLButtonElement | null>;
  /** The drawer's panel, which gets the focus. */
  readonly panel: RefObject<HTMLElement | null>;
}

/**
 * Manages the sidebar on small screens: a drawer in front of the page. It closes on Escape, and
 * when the page changes.
 */
export function useDrawer(): Drawer {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const close = useCallback(() => setOpen(false), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes whenever the page changes
  useEffect(close, [pathname, close]);
  useEffect(() => {
    if (!open) return undefined;
    panel.current?.focus();
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
      if (panel.current?.contains(document.activeElement) === true) button.current?.focus();
    };
  }, [open, close]);
  return { open, toggle: () => setOpen(!open), close, button, panel };
}
