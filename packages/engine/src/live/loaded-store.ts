import { asError, type LiveStore, listeners } from './live-store.ts';

/**
 * A value read from a database, and whether it has loaded. After a failure, `value` is still the
 * previous value.
 */
interface Loaded<T> extends LoadState {
  readonly value: T;
}

/** Whether a value has loaded. Each result of a live read has these properties. */
export interface LoadState {
  /** False until the first result for these inputs has loaded. */
  readonly hydrated: boolean;
  /** Why the last load failed. In that case, the result is the previous result. */
  readonly error: Error | undefined;
}

/** A database, or another source that changes and ends with one. */
interface Observable {
  subscribe(listener: () => void): () => void;
  onClosed(listener: () => void): () => void;
}

/** Describes how a store reads its value. */
interface LoadedOptions<T, Shown> {
  readonly source: Observable;
  readonly inputs: readonly unknown[];
  readonly initial: T;
  load(): Promise<T>;
  /** Returns the previous value, or its parts, where nothing changed. */
  keep(before: T, now: T): T;
  /** Returns the value of the store. */
  show(value: T, state: LoadState): Shown;
}

/**
 * Creates a store that loads when the first listener subscribes, and again after each local or
 * remote change of the source. Changes during a load cause one more load. Listeners aren't notified
 * when nothing changed, such as when `keep` returns the previous object.
 */
export function loadedStore<T, Shown>(options: LoadedOptions<T, Shown>): LiveStore<Shown> {
  const { source, inputs, show } = options;
  let state: Loaded<T> = { value: options.initial, hydrated: false, error: undefined };
  let shown = shownOf(state, show);
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
        const next = await read(options, state);
        if (own !== session) return;
        if (isSame(next, state)) continue;
        state = next;
        shown = shownOf(state, show);
        observed.tell();
      }
      loading = false;
    };
    const stop = source.subscribe(() => void refresh());
    // Load again when the database closes or is destroyed, so that the error shows that the data is
    // stale.
    const stopClosed = source.onClosed(() => void refresh());
    void refresh();
    return () => {
      session += 1;
      stop();
      stopClosed();
    };
  });

  return { subscribe: observed.add, current: () => shown, inputs };
}

const shownOf = <T, Shown>({ value, hydrated, error }: Loaded<T>, show: LoadedOptions<T, Shown>['show']) =>
  show(value, { hydrated, error });

async function read<T>(
  { load, keep }: Pick<LoadedOptions<T, unknown>, 'load' | 'keep'>,
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
