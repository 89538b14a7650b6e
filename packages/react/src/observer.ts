/**
 * A changing value for `useSyncExternalStore`: `current` returns the same object until the value
 * changes.
 */
export interface Observer<T> {
  subscribe(listener: () => void): () => void;
  current(): T;
}

export interface Listeners {
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

export const asError = (cause: unknown): Error => (cause instanceof Error ? cause : new Error(String(cause)));
