import { useCallback, useState } from 'react';

const FIRST = 200;
const AHEAD = 50;

export interface GrowingLimit {
  readonly limit: number;
  /** To be told what is in view of how many rows. */
  readonly seen: (to: number, count: number) => void;
}

/** Rows that were read with a limit, and whether there are no more. */
export const upTo = <Row>(limit: number, rows: readonly Row[]): Part<Row> => ({
  rows,
  isAll: rows.length < limit,
});

export interface Part<Row> {
  readonly rows: readonly Row[];
  readonly isAll: boolean;
}

/** How many rows of a list of any length to read: some at first, and more before the last ones come into view. What is not looked at stays in the worker. */
export function useGrowingLimit(): GrowingLimit {
  const [limit, setLimit] = useState(FIRST);
  const seen = useCallback((to: number, count: number) => {
    if (to > count - AHEAD) setLimit((now) => (count >= now ? count * 2 : now));
  }, []);
  return { limit, seen };
}
