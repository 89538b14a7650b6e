import type { Database, DocumentConflicts } from 'fixpoint';
import { useCallback } from 'react';
import { type Loaded, useLoaded } from '../use-loaded.ts';

/** Address parameter: show the merge of the document instead of the document. */
export const MERGED = 'merge';

/** Returns the conflict of a document, live; undefined without one, and for a new document. */
export const useConflict = (database: Database, id: string | undefined): DocumentConflicts | undefined =>
  useLoadedConflict(database, id).value;

/** Like {@link useConflict}, and says whether the conflict is still loading. */
export const useLoadedConflict = (
  database: Database,
  id: string | undefined,
): Loaded<DocumentConflicts | undefined> =>
  useLoaded(
    database,
    useCallback(async () => (id === undefined ? undefined : database.conflicts(id)), [database, id]),
  );

/** Returns whether the versions can be merged: none is a deletion, or was dropped. */
export const canMerge = ({ winner, losers }: DocumentConflicts): boolean =>
  [winner, ...losers].every(({ value }) => value !== undefined);
