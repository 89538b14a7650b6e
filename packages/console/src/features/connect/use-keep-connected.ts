import { localStorageName, SYNC_DATABASE } from '@fixpoint/protocol';
import { useEffect } from 'react';
import { useApp } from '../../cloud/app.ts';
import { useSyncUser } from './use-sync-user.ts';

/**
 * Keeps the connected databases of this browser attached: those of this server while somebody is
 * signed in. Starts once the page is quiet, and loads nothing if this browser has no connection.
 * @param whenQuiet runs work once the page is quiet; returns a function that cancels the work
 */
export function useKeepConnected(whenQuiet: (run: () => void) => () => void): void {
  const { api } = useApp();
  const email = useSyncUser();
  useEffect(() => {
    if (email === undefined) return undefined;
    if (email === null) void detachTheirs();
    let stop: (() => void) | undefined;
    let isOver = false;
    const cancel = whenQuiet(async () => {
      if (!(await hasConnections())) return;
      const { keepConnected } = await import('./keep-connected.ts');
      if (!isOver) stop = keepConnected(api, email);
    });
    return () => {
      isOver = true;
      cancel();
      stop?.();
    };
  }, [api, email, whenQuiet]);
}

/** Doesn't open the database of the connections, because that would start the engine. */
async function hasConnections(): Promise<boolean> {
  try {
    const storages = await indexedDB.databases();
    return storages.some(({ name }) => name === localStorageName(SYNC_DATABASE));
  } catch {
    return false;
  }
}

/** Ends the syncs when the session ended in another tab. */
async function detachTheirs(): Promise<void> {
  const { detachSignedOut } = await import('../../cloud/ledgers/attached-databases.ts');
  await detachSignedOut();
}
