import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { useLocation } from 'react-router';

export interface Drawer {
  readonly open: boolean;
  readonly toggle: () => void;
  readonly close: () => void;
  /** Of the button that opens it, which gets the focus back. */
  readonly button: RefObject<HTMLButtonElement | null>;
  /** Of what it holds, which gets the focus. */
  readonly panel: RefObject<HTMLElement | null>;
}

/** The sidebar on small screens: in front of the page while it is open. It closes with Escape, and when the page changes. */
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
