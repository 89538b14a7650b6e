/** What ends on another page leads there, but not who has left for a page of his own choice meanwhile. */
import { createContext, useCallback, useContext } from 'react';
import { type createBrowserRouter, type NavigateOptions, useNavigate } from 'react-router';

type Router = Pick<ReturnType<typeof createBrowserRouter>, 'state' | 'subscribe'>;

/** Counts the pages that the user went to. One that he is on his way to counts already, before it is drawn. */
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

/** How many pages the user went to so far. */
export const VisitsContext = createContext<() => number>(() => 0);

export interface Visit {
  /** Whether the user left the page, or is about to. */
  isOver(): boolean;
  /** Leads on, unless the visit is over. */
  leadTo(path: string, options?: NavigateOptions): Promise<void>;
}

/** Gives what notes the visit of now: to be called when the work begins. */
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
