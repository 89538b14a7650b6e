/** Reads and follows a document's draft while it has subscribers. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Database, Stored } from 'fixpoint';
import { type EditorText, readJson } from '../../editor/read-json.ts';
import { BIG_CHARS } from './document-text.ts';
import { type Draft, draftOf, withStored, withText } from './draft.ts';

export type DraftState =
  | { readonly state: 'loading' }
  | { readonly state: 'missing' }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'there'; readonly draft: Draft };

export interface LiveDraft {
  /** Undefined while the document is new; set when it is saved. */
  id(): string | undefined;
  subscribe(listener: () => void): () => void;
  current(): DraftState;
  /** Changes the draft synchronously; the next read returns the change. */
  change(how: (draft: Draft) => Draft): void;
  /** Takes the editor's text. Big texts are parsed when typing stops. */
  typed(text: EditorText): void;
  /** Returns the draft with all typed text. */
  settled(): Draft | undefined;
}

const BIG_PAUSE_MS = 200;

export function liveDraft(database: Database, of: string | undefined): LiveDraft {
  const listeners = new Set<() => void>();
  let id = of;
  let state: DraftState =
    id === undefined ? { state: 'there', draft: draftOf(undefined, undefined) } : { state: 'loading' };
  let stop: (() => void) | undefined;
  let waiting: { readonly text: EditorText; readonly timer: ReturnType<typeof setTimeout> } | undefined;

  const show = (next: DraftState) => {
    state = next;
    for (const listener of [...listeners]) listener();
  };

  function settle(): void {
    if (waiting === undefined) return;
    const { text, timer } = waiting;
    clearTimeout(timer);
    waiting = undefined;
    if (state.state === 'there') show({ state: 'there', draft: withText(state.draft, text) });
  }

  /**
   * Big texts are parsed in one task and compared in the next, so that a key waits for only one of
   * them.
   */
  function read(): void {
    if (waiting === undefined) return;
    readJson(waiting.text);
    waiting = { text: waiting.text, timer: setTimeout(settle) };
  }

  function take(stored: Stored | undefined): void {
    settle();
    if (state.state === 'there') show({ state: 'there', draft: withStored(state.draft, stored) });
    else if (stored !== undefined) show({ state: 'there', draft: draftOf(id, stored) });
    else show({ state: 'missing' });
  }

  /** A change that arrives during the read is newer than its result. */
  function follow(own: string): () => void {
    let ended = false;
    let news = 0;
    const stopFeed = database.subscribe((docs) => {
      const doc = docs.findLast(({ _id }) => _id === own);
      if (ended || doc === undefined) return;
      news += 1;
      take(doc['_deleted'] === true ? undefined : doc);
    }, true);
    database.get(own).then(
      (doc) => {
        if (!ended && news === 0) take(doc);
      },
      (error: unknown) => {
        if (ended || news > 0) return;
        if (isFixpointError(error, 'NOT_FOUND')) take(undefined);
        else if (state.state !== 'there') show({ state: 'failed', error });
      },
    );
    return () => {
      ended = true;
      stopFeed();
    };
  }

  function followIfShown(): void {
    if (id !== undefined && listeners.size > 0) stop ??= follow(id);
  }

  const change = (how: (draft: Draft) => Draft) => {
    settle();
    if (state.state !== 'there') return;
    show({ state: 'there', draft: how(state.draft) });
    id ??= state.draft.id;
    followIfShown();
  };

  return {
    id: () => id,
    subscribe: (listener) => {
      const own = () => listener();
      listeners.add(own);
      followIfShown();
      return () => {
        if (!listeners.delete(own) || listeners.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
    current: () => state,
    change,
    typed: (text) => {
      if (waiting !== undefined) clearTimeout(waiting.timer);
      waiting = undefined;
      if (text.length <= BIG_CHARS) change((draft) => withText(draft, text));
      else waiting = { text, timer: setTimeout(read, BIG_PAUSE_MS) };
    },
    settled: () => {
      settle();
      return state.state === 'there' ? state.draft : undefined;
    },
  };
}
