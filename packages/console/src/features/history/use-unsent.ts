import type { Database } from 'fixpoint';
import { useCallback } from 'react';
import { unsentEvents } from './unsent-events.ts';
import { useLoaded } from './use-loaded.ts';

const NONE: ReadonlySet<string> = new Set();

/** Events that are on this device alone, live. @param toSend how much waits to be sent; nothing is read while nothing does, nor without a ledger */
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

/** Of a document the newest ones are looked at: what was written here last. */
const LOOKED = 20;

/** Whether some of what a document says is on this device alone, by what is stored of it and not by how the sync stands; undefined without a ledger, and until that is known. */
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
