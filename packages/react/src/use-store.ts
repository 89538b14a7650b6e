import { type LiveStore, sameStore } from 'fixpoint/live';
import { useState, useSyncExternalStore } from 'react';

/** Returns the value of `make`, which runs again only when an input changes. */
export function useKept<T>(make: () => T, inputs: readonly unknown[]): T {
  const [kept, keep] = useState(() => ({ made: make(), inputs }));
  if (kept.inputs.length === inputs.length && kept.inputs.every((input, at) => Object.is(input, inputs[at])))
    return kept.made;
  const next = { made: make(), inputs };
  keep(next);
  return next.made;
}

/** Returns the live value of a store. Keeps the store of the last render while inputs are equal. */
export function useStore<T>(next: LiveStore<T>): T {
  const [kept, keep] = useState(next);
  const store = sameStore(kept, next);
  if (store !== kept) keep(store);
  return useSyncExternalStore(store.subscribe, store.current, store.current);
}
