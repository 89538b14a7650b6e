import { savedQueriesName } from '@fixpoint/protocol';
import { useEffect, useState } from 'react';
import { hasStorage, onListChange } from './databases.ts';
import { type StoredQuery, savedQueriesOf } from './saved-queries.ts';

export interface SavedQueries {
  readonly loaded: boolean;
  /** In the order in which they were first saved. */
  readonly queries: readonly StoredQuery[];
  readonly error: unknown;
}

const LOADING: SavedQueries = { loaded: false, queries: [], error: undefined };

/** Returns the saved queries of a database, live. Reading creates no storage for them. */
export function useSavedQueries(database: string): SavedQueries {
  const [saved, setSaved] = useState(LOADING);
  useEffect(() => {
    setSaved(LOADING);
    return followQueries(database, setSaved);
  }, [database]);
  return saved;
}

function followQueries(database: string, show: (saved: SavedQueries) => void): () => void {
  let ended = false;
  let stopFeed: (() => void) | undefined;
  let asked = 0;

  const load = async () => {
    asked += 1;
    const own = asked;
    const queries = savedQueriesOf(database);
    const isLatest = () => !ended && own === asked;
    try {
      const { rows } = await queries.allDocs<StoredQuery>();
      if (isLatest()) show({ loaded: true, queries: rows.map(({ value }) => value), error: undefined });
    } catch (error) {
      if (isLatest()) show({ loaded: true, queries: [], error });
    }
  };

  const begin = async () => {
    if (stopFeed !== undefined || ended) return;
    if (!(await hasStorage(savedQueriesName(database)))) {
      if (!ended) show({ ...LOADING, loaded: true });
      return;
    }
    if (stopFeed !== undefined || ended) return;
    stopFeed = savedQueriesOf(database).subscribe(() => void load());
    void load();
  };

  const stopList = onListChange(() => void begin());
  void begin();
  return () => {
    ended = true;
    stopList();
    stopFeed?.();
  };
}
