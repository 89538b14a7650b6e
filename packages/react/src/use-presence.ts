import type { Attached } from 'fixpoint';
import { livePresence, type ShownPresence } from 'fixpoint/live';
import { useMemo, useSyncExternalStore } from 'react';
import { useKept } from './use-store.ts';

/** Result of `usePresence`. */
export interface UsedPresence<T> extends ShownPresence<T> {
  /**
   * Replaces the state of this client. The function is the same in each render. Before the ledger
   * is attached, the state waits.
   * @throws FixpointError REQUEST_INVALID, LIMIT_REACHED when others can't receive the state
   */
  update(state: T): void;
}

/**
 * Shows who else is in a ledger, and lets them see the state of this client, while the component is
 * mounted. Hooks with the same `attached` share one state. Renders nobody on a server.
 * @param attached the result of `attach`; undefined until the database is attached
 */
export function usePresence<T extends object = Record<string, unknown>>(
  attached: Attached | undefined,
): UsedPresence<T> {
  const store = useKept(() => livePresence<T>(attached), [attached]);
  const shown = useSyncExternalStore(store.subscribe, store.current, store.initial);
  return useMemo(() => ({ ...shown, update: store.update }), [shown, store]);
}
