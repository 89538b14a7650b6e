import { useCallback, useState } from 'react';
import type { StoredQuery } from '../../local/saved-queries.ts';

interface Kept {
  /** Counts the editors in which new queries were written. */
  readonly number: number;
  /** What was saved in the latest of them. */
  readonly query: StoredQuery | undefined;
  /** The list of saved queries is told of it a moment later. */
  readonly isListed: boolean;
}

export interface KeptEditor {
  /** Names the editor that shows the query of the address. */
  readonly editor: string;
  /** The query of the address: that of the list, or one which was saved just now. */
  readonly saved: StoredQuery | undefined;
  /** To be called with a new query that was saved, before the address names it. */
  keep(query: StoredQuery): void;
}

/** An editor in which a new query was written goes on with it once it is saved: with its rows, and with what can be undone. */
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
