import { useCallback, useSyncExternalStore } from 'react';

/** Returns whether the window has a width, live. @param query such as `(width < 40rem)` */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches);
}

/** Returns whether the window is as narrow as a phone, live. */
export const useIsNarrow = (): boolean => useMedia('(width < 40rem)');

/** Returns whether the window has room for a panel beside the page, live. */
export const useHasRoom = (): boolean => useMedia('(width >= 64rem)');
