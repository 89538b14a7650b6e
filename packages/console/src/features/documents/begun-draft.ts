/** A document whose link is pressed is read while its page is made. */
import type { Database } from 'fixpoint';
import { type LiveDraft, liveDraft } from './live-draft.ts';

/** So long a draft waits for the page that shows it, which may have to be fetched. */
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
 * Does work in the engine that nobody waits for, but not while a document is opened: that would share the processor with it.
 * @param begin gives what ends the work
 * @returns what ends it for good
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

/** Begins to read, and to follow, a document that is about to be opened. */
export function beginDraft(database: Database, id: string): void {
  if (begun?.database === database && begun.id === id) return;
  begun?.end();
  for (const one of resting) one.rest();
  const live = liveDraft(database, id);
  // Who takes the draft listens to it before this one stops.
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

/** The draft of this document if it was begun, for one page alone; undefined when it was not. */
export function takeBegun(database: Database, id: string | undefined): LiveDraft | undefined {
  if (begun?.database !== database || begun.id !== id) return undefined;
  const { live } = begun;
  begun = undefined;
  return live;
}
