/** Prefetches a document when its link is pressed, while its page is created. */
import type { Database } from 'fixpoint';
import { type LiveDraft, liveDraft } from './live-draft.ts';

/** Milliseconds that a draft waits for its page, which may have to be fetched first. */
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
 * Runs background work in the engine, paused while a document opens so that they don't compete for
 * the processor.
 * @param begin starts the work, and returns a function that stops it
 * @returns a function that stops it for good
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
  // The page that takes the draft subscribes before this subscription ends.
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

/** Returns the prefetched draft of this document to one page only; undefined without one. */
export function takeBegun(database: Database, id: string | undefined): LiveDraft | undefined {
  if (begun?.database !== database || begun.id !== id) return undefined;
  const { live } = begun;
  begun = undefined;
  return live;
}
