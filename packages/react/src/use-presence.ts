import type { Attached } from 'fixpoint';
import { livePresence, type ShownPresence } from 'fixpoint/live';
import { useSyncExternalStore } from 'react';
import { useKept } from './use-store.ts';

/** Result of `usePresence`. */
export type UsedPresence<T> = ShownPresence<T>;

/**
 * Shows who else is in a ledger, and lets them see the state of this client, while the component is
 * mounted. Hooks with the same `attached` share one state. Renders nobody on a server.
 * @param attached the result of `attach`; undefined until the database is attached
 */
export function usePresence<T extends object = Record<string, unknown>>(
  attached: Attached | undefined,
): UsedPresence<T> {
  const store = useKept(() => livePresence<T>(attached), [attached]);
  return useSyncExternalStore(store.subscribe, store.current, store.initial);
}
