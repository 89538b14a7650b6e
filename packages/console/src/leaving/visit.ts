/** Navigates at the end of some work, unless the user has already left for another page. */
import { createContext, useCallback, useContext } from 'react';
import { type createBrowserRouter, type NavigateOptions, useNavigate } from 'react-router';

type Router = Pick<ReturnType<typeof createBrowserRouter>, 'state' | 'subscribe'>;

/**
 * Counts the pages that the user visited. A page counts from the start of its navigation, before it
 * renders.
 */
export function countVisits(router: Router): () => number {
  const heading = () => (router.state.navigation.location ?? router.state.location).pathname;
  let number = 0;
  let last = heading();
  router.subscribe(() => {
    const next = heading();
    if (next !== last) number += 1;
    last = next;
  });
  return () => number;
}

/** Returns how many pages the user has visited so far. */
export const VisitsContext = createContext<() => number>(() => 0);

export interface Visit {
  /** Returns whether the user left the page, or is about to. */
  isOver(): boolean;
  /** Navigates, unless the visit is over. */
  leadTo(path: string, options?: NavigateOptions): Promise<void>;
}

/** Returns a function that captures the current visit. Must be called when the work begins. */
export function useVisit(): () => Visit {
  const visits = useContext(VisitsContext);
  const navigate = useNavigate();
  return useCallback(() => {
    const own = visits();
    const isOver = () => visits() !== own;
    return {
      isOver,
      leadTo: async (path, options) => {
        if (!isOver()) await navigate(path, options);
      },
    };
  }, [visits, navigate]);
}
