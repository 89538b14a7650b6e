import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query';

/** Options of a query with any type of result. */
interface Asked {
  readonly queryKey: QueryKey;
  readonly queryFn?: unknown;
  readonly staleTime?: unknown;
}

/**
 * Returns whether each query has been answered or has failed once. A page waits for this before it
 * shows its parts, so that nothing jumps. The parts then run the same queries, and receive the
 * cached answers.
 */
export function useAreAnswered(asked: readonly Asked[]): boolean {
  const found = useQueries({ queries: asked as readonly UseQueryOptions[] });
  return found.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
}
