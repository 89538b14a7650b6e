import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query';

/** Options of a query, whatever it answers. */
interface Asked {
  readonly queryKey: QueryKey;
  readonly queryFn?: unknown;
  readonly staleTime?: unknown;
}

/**
 * Whether each was answered, or failed once: what a page shows of them can then be drawn at once, and nothing that is read already moves. The parts of the page ask for
 * themselves; what is there is not asked for again.
 */
export function useAreAnswered(asked: readonly Asked[]): boolean {
  const found = useQueries({ queries: asked as readonly UseQueryOptions[] });
  return found.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
}
