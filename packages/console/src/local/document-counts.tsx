/**
 * Remembers how many documents the databases of this page have, once a table has counted them. The
 * sidebar shows these numbers, and never counts by itself.
 */
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useSyncExternalStore } from 'react';

type Counted = Pick<BridgedDatabase, 'name' | 'rows' | 'subscribe' | 'onClosed'>;

const counts = new Map<string, number>();
const kept = new WeakSet<Counted>();
const listeners = new Set<() => void>();

function note(name: string, count: number | undefined): void {
  if (count === undefined) counts.delete(name);
  else counts.set(name, count);
  for (const listener of [...listeners]) listener();
}

/**
 * Remembers the number of documents until the database is closed. After changes, only the changed
 * part of the database is counted again, because the engine remembers the rest.
 */
export function keepCount(database: Counted, count: number): void {
  const { name, rows } = database;
  note(name, count);
  if (kept.has(database)) return;
  kept.add(database);
  let ending = new AbortController();
  const stop = database.subscribe(() => {
    ending.abort();
    ending = new AbortController();
    const { signal } = ending;
    rows.count({ signal }).then(
      (found) => (signal.aborted ? undefined : note(name, found)),
      // The next change counts again.
      () => undefined,
    );
  });
  database.onClosed(() => {
    stop();
    ending.abort();
    kept.delete(database);
    note(name, undefined);
  });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Returns the number of documents of a database, live; undefined before a table counted them. */
const useKeptCount = (name: string): number | undefined =>
  useSyncExternalStore(subscribe, () => counts.get(name));

/** Shows the number of documents of a database at the right of its entry, once it is known. */
export function DocumentCount({ storage }: { storage: string }) {
  const count = useKeptCount(storage);
  return (
    <span
      aria-hidden
      // Drawn by CSS, because the page of the documents says the number already.
      data-count={count?.toLocaleString('en')}
      className="pointer-events-none absolute inset-y-0 right-2 flex items-center text-xs text-ink-3 tabular-nums before:content-[attr(data-count)]"
    />
  );
}
