import type { Database } from 'fixpoint';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { takeBegun } from './begun-draft.ts';
import { type DraftState, type LiveDraft, liveDraft } from './live-draft.ts';

interface Held {
  readonly database: Database;
  /** The id the page asked for; a new document may have received its id since. */
  readonly asked: string | undefined;
  readonly live: LiveDraft;
  /** Counts the drafts of this page. */
  readonly nth: number;
}

export interface PageDraft {
  readonly state: DraftState;
  readonly live: LiveDraft;
  /** Changes with each draft; use it as the key for state of one draft. */
  readonly nth: number;
}

/**
 * Returns the draft of a document, live; without an id, that of a new one. Continues a draft
 * prefetched when the link was pressed, and that of a new document when the page becomes that of
 * the saved one: caret, focus and text typed during the switch stay.
 */
export function useDraft(database: Database, id: string | undefined): PageDraft {
  // A state and not a ref: React may start rendering the saved document's page, discard it for a
  // key press, and render this one again.
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
