/** Something that changes, for `useSyncExternalStore`: `current` gives the same object until it changes. */
export interface Observer<T> {
  subscribe(listener: () => void): () => void;
  current(): T;
}

export interface Listeners {
  add(listener: () => void): () => void;
  tell(): void;
}

/** A set of listeners. `started` runs when the first one comes; what it gives back runs when the last one has gone. */
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
