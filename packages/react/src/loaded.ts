import type { Database } from 'fixpoint';
import { asError, listeners, type Observer } from './observer.ts';

/** What was read from a database, and whether it was read yet. After a failure the value stays what it was. */
export interface Loaded<T> {
  readonly value: T;
  readonly hydrated: boolean;
  readonly error: Error | undefined;
}

/**
 * Reads when the first listener comes and again after each change of the database, local or remote; while a read is on its way further
 * changes cause one more. An answer that `keep` makes the same object as the one before is told to nobody.
 */
export function observeLoaded<T>(
  database: Database,
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
    // What was destroyed, here or elsewhere, is not shown as if it were still there: the answer is why it cannot be read.
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
