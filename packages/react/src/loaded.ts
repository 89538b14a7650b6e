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
 * changes cause one more.
 */
export function observeLoaded<T>(
  database: Database,
  load: () => Promise<T>,
  initial: T,
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
        const next = await read(load, state);
        if (own !== session) return;
        state = next;
        observed.tell();
      }
      loading = false;
    };
    const stop = database.subscribe(() => void refresh());
    void refresh();
    return () => {
      session += 1;
      stop();
    };
  });

  return { subscribe: observed.add, current: () => state };
}

async function read<T>(load: () => Promise<T>, before: Loaded<T>): Promise<Loaded<T>> {
  try {
    return { value: await load(), hydrated: true, error: undefined };
  } catch (cause) {
    return { ...before, hydrated: true, error: asError(cause) };
  }
}
