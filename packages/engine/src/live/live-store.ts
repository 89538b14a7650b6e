/**
 * A changing value of a database. A store starts to load when the first listener subscribes, and
 * stops after the last one has unsubscribed. Creating a store does nothing else, so that a server
 * can render the first value without opening the database.
 */
export interface LiveStore<T> {
  /**
   * Calls `listener` after each change of the value. Returns a function that ends the subscription.
   */
  subscribe(listener: () => void): () => void;
  /** Returns the value. It is the same object until the value changes. */
  current(): T;
  /** The source and options of the store. Stores with the same inputs load the same value. */
  readonly inputs: readonly unknown[];
}

interface Listeners {
  add(listener: () => void): () => void;
  tell(): void;
}

/**
 * Creates a set of listeners. `started` runs when the first listener is added. The function that
 * `started` returns runs when the last listener is removed.
 */
export function listeners(started: () => () => void): Listeners {
  const all = new Set<() => void>();
  let stop: (() => void) | undefined;
  return {
    add: (listener) => {
      const own = () => listener();
      all.add(own);
      stop ??= started();
      return () => {
        if (!all.delete(own) || all.size > 0) return;
        stop?.();
        stop = undefined;
      };
    },
    tell: () => {
      for (const listener of [...all]) listener();
    },
  };
}

/**
 * Returns the previous store if it loads the same as the next one, so that options can be written
 * inline; otherwise the next store.
 */
export function sameStore<S extends LiveStore<unknown>>(before: S | undefined, next: S): S {
  const isSame =
    before?.inputs.length === next.inputs.length &&
    before.inputs.every((input, at) => Object.is(input, next.inputs[at]));
  return isSame ? before : next;
}

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
