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

/** Begins to read, and to follow, a document that is about to be opened. */
export function beginDraft(database: Database, id: string): void {
  if (begun?.database === database && begun.id === id) return;
  begun?.end();
  const live = liveDraft(database, id);
  // Who takes the draft listens to it before this one stops.
  const stop = live.subscribe(() => undefined);
  const end = () => {
    clearTimeout(timer);
    stop();
    if (begun?.live === live) begun = undefined;
  };
  const timer = setTimeout(end, KEPT_MS);
  begun = { database, id, live, end };
}

/** The draft of this document if it was begun, for one page alone; undefined when it was not. */
export function takeBegun(database: Database, id: string | undefined): LiveDraft | undefined {
  if (begun?.database !== database || begun.id !== id) return undefined;
  const { live } = begun;
  begun = undefined;
  return live;
}
