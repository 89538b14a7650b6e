import { useSyncExternalStore } from 'react';

const NARROW = '(width < 40rem)';

/** Returns whether the window is as narrow as a phone, live. */
export const useIsNarrow = (): boolean => useSyncExternalStore(subscribe, isNarrow);

const isNarrow = (): boolean => window.matchMedia(NARROW).matches;

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
}
