/** Provides the draft of a document, and follows the document while the draft has subscribers. */
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
  /** Puts the editor's text into the draft. Big texts are parsed when the user stops typing. */
  typed(text: EditorText): void;
  /** Returns the draft with all typed text. */
  settled(): Draft | undefined;
}

const BIG_PAUSE_MS = 200;

/** Holds one draft: the document's id, its state, and typed text that isn't parsed yet. */
interface DraftFeed {
  readonly database: Database;
  readonly listeners: Set<() => void>;
  id: string | undefined;
  state: DraftState;
  /** Stops following the document; undefined while the document isn't followed. */
  stop: (() => void) | undefined;
  waiting: { readonly text: EditorText; readonly timer: ReturnType<typeof setTimeout> } | undefined;
}

export function liveDraft(database: Database, of: string | undefined): LiveDraft {
  const feed: DraftFeed = {
    database,
    listeners: new Set(),
    id: of,
    state: of === undefined ? { state: 'there', draft: draftOf(undefined, undefined) } : { state: 'loading' },
    stop: undefined,
    waiting: undefined,
  };
  return {
    id: () => feed.id,
    subscribe: (listener) => subscribe(feed, listener),
    current: () => feed.state,
    change: (how) => change(feed, how),
    typed: (text) => takeTyped(feed, text),
    settled: () => {
      settle(feed);
      return feed.state.state === 'there' ? feed.state.draft : undefined;
    },
  };
}

function subscribe(feed: DraftFeed, listener: () => void): () => void {
  const own = () => listener();
  feed.listeners.add(own);
  followIfShown(feed);
  return () => {
    if (!feed.listeners.delete(own) || feed.listeners.size > 0) return;
    feed.stop?.();
    feed.stop = undefined;
  };
}

function show(feed: DraftFeed, next: DraftState): void {
  feed.state = next;
  for (const listener of [...feed.listeners]) listener();
}

function change(feed: DraftFeed, how: (draft: Draft) => Draft): void {
  settle(feed);
  if (feed.state.state !== 'there') return;
  const draft = how(feed.state.draft);
  show(feed, { state: 'there', draft });
  feed.id ??= draft.id;
  followIfShown(feed);
}

function takeTyped(feed: DraftFeed, text: EditorText): void {
  if (feed.waiting !== undefined) clearTimeout(feed.waiting.timer);
  feed.waiting = undefined;
  if (text.length <= BIG_CHARS) change(feed, (draft) => withText(draft, text));
  else feed.waiting = { text, timer: setTimeout(() => parseTyped(feed), BIG_PAUSE_MS) };
}

/**
 * Parses a big text in one task and compares it in the next, so that a key press waits for at most
 * one of the two.
 */
function parseTyped(feed: DraftFeed): void {
  if (feed.waiting === undefined) return;
  const { text } = feed.waiting;
  readJson(text);
  feed.waiting = { text, timer: setTimeout(() => settle(feed)) };
}

/** Puts pending typed text into the draft. */
function settle(feed: DraftFeed): void {
  const { waiting, state } = feed;
  if (waiting === undefined) return;
  clearTimeout(waiting.timer);
  feed.waiting = undefined;
  if (state.state === 'there') show(feed, { state: 'there', draft: withText(state.draft, waiting.text) });
}

function takeStored(feed: DraftFeed, stored: Stored | undefined): void {
  settle(feed);
  const { state, id } = feed;
  if (state.state === 'there') show(feed, { state: 'there', draft: withStored(state.draft, stored) });
  else if (stored !== undefined) show(feed, { state: 'there', draft: draftOf(id, stored) });
  else show(feed, { state: 'missing' });
}

function followIfShown(feed: DraftFeed): void {
  if (feed.id !== undefined && feed.listeners.size > 0) feed.stop ??= follow(feed, feed.id);
}

/** Follows the stored document. Ignores the result of the read if a newer change arrived first. */
function follow(feed: DraftFeed, id: string): () => void {
  let ended = false;
  let news = 0;
  const stopFeed = feed.database.subscribe((docs) => {
    const doc = docs.findLast(({ _id }) => _id === id);
    if (ended || doc === undefined) return;
    news += 1;
    takeStored(feed, doc['_deleted'] === true ? undefined : doc);
  }, true);
  feed.database.get(id).then(
    (doc) => {
      if (!ended && news === 0) takeStored(feed, doc);
    },
    (error: unknown) => {
      if (ended || news > 0) return;
      if (isFixpointError(error, 'NOT_FOUND')) takeStored(feed, undefined);
      else if (feed.state.state !== 'there') show(feed, { state: 'failed', error });
    },
  );
  return () => {
    ended = true;
    stopFeed();
  };
}
