import { useCallback, useState } from 'react';
import type { StoredQuery } from '../../local/saved-queries.ts';

interface Kept {
  /** Counts the editors in which new queries were written. */
  readonly number: number;
  /** The query that was saved in the latest of these editors. */
  readonly query: StoredQuery | undefined;
  /** Whether the list of saved queries already includes `query`. */
  readonly isListed: boolean;
}

export interface KeptEditor {
  /** Identifies the editor that shows the query of the address. */
  readonly editor: string;
  /** The query of the address: from the list, or just saved. */
  readonly saved: StoredQuery | undefined;
  /** Call this with a new saved query before the address names it. */
  keep(query: StoredQuery): void;
}

/** Keeps the editor of a new query after it is saved, with its rows and its undo history. */
export function useKeptEditor(queryId: string | undefined, listed: StoredQuery | undefined): KeptEditor {
  const [kept, setKept] = useState<Kept>({ number: 0, query: undefined, isListed: false });
  const [shown, setShown] = useState(queryId);
  const isKept = queryId !== undefined && queryId === kept.query?._id;
  if (queryId !== shown) {
    setShown(queryId);
    if (kept.query !== undefined && !isKept)
      setKept({ number: kept.number + 1, query: undefined, isListed: false });
  }
  if (isKept && listed !== undefined && !kept.isListed) setKept({ ...kept, isListed: true });
  const keep = useCallback(
    (query: StoredQuery) => setKept(({ number }) => ({ number, query, isListed: false })),
    [],
  );
  return {
    editor: queryId === undefined || isKept ? `new ${kept.number}` : `saved ${queryId}`,
    saved: listed ?? (isKept && !kept.isListed ? kept.query : undefined),
    keep,
  };
}
