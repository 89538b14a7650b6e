import type { Database } from 'fixpoint';
import { useCallback } from 'react';
import { useLoaded } from '../use-loaded.ts';
import { unsentEvents } from './unsent-events.ts';

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the events that exist only on this device, live.
 * @param toSend number of pending changes, undefined without a ledger; if 0, nothing is read
 */
export function useUnsent(database: Database, toSend: number | undefined): ReadonlySet<string> {
  const { value } = useLoaded(
    database,
    useCallback(
      async (signal) => ((toSend ?? 0) > 0 ? unsentEvents(database, signal) : NONE),
      [database, toSend],
    ),
  );
  return value ?? NONE;
}

/** Number of a document's newest versions to check. Unsent changes are among the newest. */
const LOOKED = 20;

/**
 * Returns whether a document has changes that exist only on this device. Checks the stored events,
 * not the sync state. Returns undefined without a ledger, and until the result is known.
 */
export function useIsUnsent(
  database: Database,
  id: string | undefined,
  toSend: number | undefined,
): boolean | undefined {
  const { value } = useLoaded(
    database,
    useCallback(
      async (signal) => {
        if (id === undefined || toSend === undefined) return undefined;
        const events = await unsentEvents(database, signal);
        const versions = await database.history(id, { limit: LOOKED, signal });
        return versions.some(({ event }) => events.has(event));
      },
      [database, id, toSend],
    ),
  );
  return value;
}
