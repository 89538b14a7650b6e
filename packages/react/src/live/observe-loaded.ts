import type { Database } from 'fixpoint';
import { asError, listeners, type Observer } from '../observer.ts';

/**
 * A value read from a database, and whether it has loaded. After a failure, `value` is still the
 * previous value.
 */
export interface Loaded<T> {
  readonly value: T;
  readonly hydrated: boolean;
  readonly error: Error | undefined;
}

/** A database, or another source that changes and ends with one. */
interface Observable {
  subscribe(listener: () => void): () => void;
  onClosed(listener: () => void): () => void;
}

/** The calls of a database that hooks need to call this method again after each change. */
export type Readable<Call extends keyof Database> = Observable & Pick<Database, Call | 'name'>;

/**
 * Loads when the first listener subscribes, and again after each local or remote change of the
 * database. Changes during a load cause one more load. Listeners aren't notified when
 * nothing changed, such as when `keep` returns the previous object.
 */
export function observeLoaded<T>(
  database: Observable,
  load: () => Promise<T>,
  initial: T,
  keep: (before: T, now: T) => T,
): Observer<Loaded<T>> {
  let state: Loaded<T> = { value: initial, hydrated: false, error: undefined };
  let session = 0;

  const observed = listeners(() => {
    session += 1;
    const own = session;
    let loading = false;
    let changed = false;
    const refresh = async (): Promise<void> => {
      changed = true;
      if (loading) return;
      loading = true;
      while (changed && own === session) {
        changed = false;
        const next = await read(load, keep, state);
        if (own !== session) return;
        if (isSame(next, state)) continue;
        state = next;
        observed.tell();
      }
      loading = false;
    };
    const stop = database.subscribe(() => void refresh());
    // Load again when the database closes or is destroyed, so that the error shows that the data is
    // stale.
    const stopClosed = database.onClosed(() => void refresh());
    void refresh();
    return () => {
      session += 1;
      stop();
      stopClosed();
    };
  });

  return { subscribe: observed.add, current: () => state };
}

async function read<T>(
  load: () => Promise<T>,
  keep: (before: T, now: T) => T,
  before: Loaded<T>,
): Promise<Loaded<T>> {
  try {
    return { value: keep(before.value, await load()), hydrated: true, error: undefined };
  } catch (cause) {
    return { ...before, hydrated: true, error: asError(cause) };
  }
}

const isSame = (a: Loaded<unknown>, b: Loaded<unknown>): boolean =>
  a.value === b.value && a.hydrated === b.hydrated && a.error === b.error;
