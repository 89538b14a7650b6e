import type { Database } from 'fixpoint';
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import { takeBegun } from './begun-draft.ts';
import { type DraftState, type LiveDraft, liveDraft } from './live-draft.ts';

/** The draft of a document, live; without an id that of a new one. One that was begun when the link was pressed is gone on with. */
export function useDraft(database: Database, id: string | undefined): { state: DraftState; live: LiveDraft } {
  const live = useMemo(() => takeBegun(database, id) ?? liveDraft(database, id), [database, id]);
  const state = useSyncExternalStore(live.subscribe, live.current);
  useEffect(() => () => void live.settled(), [live]);
  return { state, live };
}
