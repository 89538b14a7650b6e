import { hashKey, type QueryKey, type UseQueryOptions, useQueries } from '@tanstack/react-query';
import { useState } from 'react';

/** Options of a query with any type of result. */
interface Asked {
  readonly queryKey: QueryKey;
  readonly queryFn?: unknown;
  readonly staleTime?: unknown;
}

/**
 * Returns whether each query has been answered or has failed once. A page waits for this before it
 * shows its parts, so that nothing jumps. The parts then run the same queries, and receive the
 * cached answers. A part runs a failed query again, which is pending then: this must not hide the
 * part, because it would begin again without end.
 */
export function useAreAnswered(asked: readonly Asked[]): boolean {
  const found = useQueries({ queries: asked as readonly UseQueryOptions[] });
  const keys = hashKey(asked.map(({ queryKey }) => queryKey));
  const [answered, setAnswered] = useState<string>();
  const isAnswered = found.every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  if (isAnswered && answered !== keys) setAnswered(keys);
  return isAnswered || answered === keys;
}
