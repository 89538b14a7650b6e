import { useCallback, useState } from 'react';

const FIRST = 200;
const AHEAD = 50;

export interface GrowingLimit {
  readonly limit: number;
  /** Call this with the index of the last row in view, and the number of rows. */
  readonly seen: (to: number, count: number) => void;
}

/** Returns rows that were read with a limit, and whether these are all rows. */
export const upTo = <Row>(limit: number, rows: readonly Row[]): Part<Row> => ({
  rows,
  isAll: rows.length < limit,
});

export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly isAll: boolean;
}

/**
 * Returns how many rows of a long list to read: some at first, and more before the user reaches the
 * last ones. Rows that weren't read stay in the worker.
 */
export function useGrowingLimit(): GrowingLimit {
  const [limit, setLimit] = useState(FIRST);
  const seen = useCallback((to: number, count: number) => {
    if (to > count - AHEAD) setLimit((now) => (count >= now ? count * 2 : now));
  }, []);
  return { limit, seen };
}
