import type { Database } from 'fixpoint';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Commits, NO_COMMITS, refreshed, withMore } from './commit-pages.ts';

const AHEAD = 50;
const nothing = (): void => undefined;

export interface LoadedCommits {
  /** Undefined until the first commits are loaded. */
  readonly commits: Commits | undefined;
  readonly error: unknown;
  /** Call this with the index up to which the user sees commits. */
  readonly seen: (to: number) => void;
}

/**
 * Returns a database's commits, live. Loads the newest ones, and more before the user reaches the
 * last loaded one.
 * @param toSend number of pending changes; after a new value, the commits are read again
 */
export function useCommits(database: Database, toSend: number | undefined): LoadedCommits {
  const [loaded, setLoaded] = useState<Omit<LoadedCommits, 'seen'>>({ commits: undefined, error: undefined });
  const work = useRef<{ changed(): void; seen(to: number): void }>({ changed: nothing, seen: nothing });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let known = NO_COMMITS;
    let isOld = true;
    let wanted = 0;
    let isReading = false;
    const isShort = () => !known.isAll && wanted > known.rows.length;
    const read = async () => {
      if (isReading) return;
      isReading = true;
      try {
        while (!signal.aborted && (isOld || isShort())) {
          const wasOld = isOld;
          isOld = false;
          known = await (wasOld ? refreshed : withMore)(database, known, signal);
          if (!signal.aborted) setLoaded({ commits: known, error: undefined });
        }
      } catch (error) {
        if (!signal.aborted) setLoaded((now) => ({ ...now, error }));
      } finally {
        isReading = false;
      }
    };
    work.current = {
      changed: () => {
        isOld = true;
        void read();
      },
      seen: (to) => {
        wanted = to + AHEAD;
        if (isShort()) void read();
      },
    };
    const stop = database.subscribe(work.current.changed);
    void read();
    return () => {
      stop();
      ending.abort();
    };
  }, [database]);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: changes are sent without a change of the database
  useEffect(() => {
    if (!isFirst.current) work.current.changed();
    isFirst.current = false;
  }, [toSend]);
  return { ...loaded, seen: useCallback((to: number) => work.current.seen(to), []) };
}
