import { type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query';

/** Options of a query with any type of result. */
interface Asked {
  readonly queryKey: QueryKey;
  readonly queryFn?: unknown;
  readonly staleTime?: unknown;
}

/**
 * Returns whether each query has been answered or has failed once. A page then shows all its parts
 * together, so that nothing jumps. The parts run the queries themselves, and cached answers are
 * reused.
 */
export function useAreAnswered(asked: readonly Asked[]): boolean {
  const found = useQueries({ queries: asked as readonly UseQueryOptions[] });
  return found.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
}
