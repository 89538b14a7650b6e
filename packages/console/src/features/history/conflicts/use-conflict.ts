import type { Database, DocumentConflicts } from 'fixpoint';
import { useCallback } from 'react';
import { useLoaded } from '../use-loaded.ts';

/** Address parameter: show the merge of the document instead of the document. */
export const MERGED = 'merge';

/** Returns the conflict of a document, live; undefined without one, and for a new document. */
export function useConflict(database: Database, id: string | undefined): DocumentConflicts | undefined {
  const { value } = useLoaded(
    database,
    useCallback(async () => (id === undefined ? undefined : database.conflicts(id)), [database, id]),
  );
  return value;
}

/** Returns whether the versions can be merged: none is a deletion, or was dropped. */
export const canMerge = ({ winner, losers }: DocumentConflicts): boolean =>
  [winner, ...losers].every(({ value }) => value !== undefined);
