import { useSyncExternalStore } from 'react';

const WIDE = '(width >= 80rem)';

/** Returns whether the window has space for two parts of a page side by side, live. */
export const useIsWide = (): boolean => useSyncExternalStore(subscribe, isWide);

const isWide = (): boolean => window.matchMedia(WIDE).matches;

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
