import type { Database } from 'fixpoint';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { takeBegun } from './begun-draft.ts';
import { type DraftState, type LiveDraft, liveDraft } from './live-draft.ts';

interface Held {
  readonly database: Database;
  /** The id the page asked for; a new document may have received its id since. */
  readonly asked: string | undefined;
  readonly live: LiveDraft;
  /** The number of this draft among the drafts of the page. */
  readonly nth: number;
}

export interface PageDraft {
  readonly state: DraftState;
  readonly live: LiveDraft;
  /** Changes with each draft; use it as the key for state of one draft. */
  readonly nth: number;
}

/**
 * Returns the live draft of a document; without an id, the draft of a new document. Uses the draft
 * that was prefetched when the user pressed the link. When the page of a new document becomes the
 * page of the saved document, the draft stays the same, and so do caret, focus and typed text.
 */
export function useDraft(database: Database, id: string | undefined): PageDraft {
  // This is a state and not a ref, because React may start to render the page of the saved
  // document, discard it because of a key press, and render the current page again.
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
