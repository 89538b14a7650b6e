import type { Database } from 'fixpoint';
import { useEffect, useRef, useSyncExternalStore } from 'react';
import { takeBegun } from './begun-draft.ts';
import { type DraftState, type LiveDraft, liveDraft } from './live-draft.ts';

interface Held {
  readonly database: Database;
  /** What the page asked for: a new document may have got its id since. */
  readonly asked: string | undefined;
  readonly live: LiveDraft;
  /** Counts the drafts of this page. */
  readonly nth: number;
}

export interface PageDraft {
  readonly state: DraftState;
  readonly live: LiveDraft;
  /** Another number for each draft: what belongs to one alone is keyed by it. */
  readonly nth: number;
}

/**
 * The draft of a document, live; without an id that of a new one. One that was begun when the link was pressed is gone on with, and so is that
 * of a new document when the page becomes that of the saved one: caret, focus and what was typed meanwhile stay.
 */
export function useDraft(database: Database, id: string | undefined): PageDraft {
  const held = useRef<Held>(undefined);
  if (held.current?.database !== database || held.current.asked !== id) {
    const { current } = held;
    const isNowSaved = current?.database === database && id !== undefined && current.live.id() === id;
    held.current = isNowSaved
      ? { ...current, asked: id }
      : {
          database,
          asked: id,
          live: takeBegun(database, id) ?? liveDraft(database, id),
          nth: (current?.nth ?? 0) + 1,
        };
  }
  const { live, nth } = held.current;
  const state = useSyncExternalStore(live.subscribe, live.current);
  useEffect(() => () => void live.settled(), [live]);
  return { state, live, nth };
}
