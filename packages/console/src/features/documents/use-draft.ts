import type { Database } from 'fixpoint';
import { useEffect, useState, useSyncExternalStore } from 'react';
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
  // A state, and no ref: React may draw the page of the saved document, drop that for a key that is pressed, and draw this one again.
  const [shown, setHeld] = useState(() => heldFor(database, id));
  let held = shown;
  if (held.database !== database || held.asked !== id) {
    held = heldFor(database, id, shown);
    setHeld(held);
  }
  const { live, nth } = held;
  const state = useSyncExternalStore(live.subscribe, live.current);
  useEffect(() => () => void live.settled(), [live]);
  return { state, live, nth };
}

function heldFor(database: Database, id: string | undefined, before?: Held): Held {
  const isNowSaved = before?.database === database && id !== undefined && before.live.id() === id;
  if (isNowSaved) return { ...before, asked: id };
  const live = takeBegun(database, id) ?? liveDraft(database, id);
  return { database, asked: id, live, nth: (before?.nth ?? 0) + 1 };
}
