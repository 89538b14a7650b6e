/** Prefetches a document when the user presses its link, while the page is being created. */
import type { Database } from 'fixpoint';
import { type LiveDraft, liveDraft } from './live-draft.ts';

/** Milliseconds that a prefetched draft waits for its page, whose code may have to load first. */
const KEPT_MS = 5000;

interface Begun {
  readonly database: Database;
  readonly id: string;
  readonly live: LiveDraft;
  end(): void;
}

let begun: Begun | undefined;

interface Resting {
  rest(): void;
  goOn(): void;
}

const resting = new Set<Resting>();

/**
 * Runs background work in the engine, and pauses it while a document opens, so that the two don't
 * compete for the processor.
 * @param begin starts the work, and returns a function that stops it
 * @returns a function that stops the work for good
 */
export function whileNothingOpens(begin: () => () => void): () => void {
  let stop: (() => void) | undefined = begin();
  const own: Resting = {
    rest: () => {
      stop?.();
      stop = undefined;
    },
    goOn: () => {
      stop ??= begin();
    },
  };
  resting.add(own);
  return () => {
    resting.delete(own);
    own.rest();
  };
}

/** Begins to read and follow a document that is about to be opened. */
export function beginDraft(database: Database, id: string): void {
  if (begun?.database === database && begun.id === id) return;
  begun?.end();
  for (const one of resting) one.rest();
  const live = liveDraft(database, id);
  // Keeps the draft up to date until the page that takes it has subscribed.
  const stop = live.subscribe(() => undefined);
  const end = () => {
    clearTimeout(timer);
    stop();
    if (begun?.live === live) begun = undefined;
  };
  const timer = setTimeout(() => {
    end();
    for (const one of resting) one.goOn();
  }, KEPT_MS);
  begun = { database, id, live, end };
}

/** Returns the prefetched draft of this document, if any, but only to the first caller. */
export function takeBegun(database: Database, id: string | undefined): LiveDraft | undefined {
  if (begun?.database !== database || begun.id !== id) return undefined;
  const { live } = begun;
  begun = undefined;
  return live;
}
