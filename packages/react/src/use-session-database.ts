import type { Collections, Database, DatabaseWith } from 'fixpoint';
import type { SessionOpened, SessionOpenOptions } from 'fixpoint/session';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSession } from './session-context.tsx';

/** Result of `useSessionDatabase`. */
export interface UsedSessionDatabase<D extends Database = Database> {
  /** `waiting`: nobody is signed in yet, or no database was chosen. */
  readonly state: 'waiting' | 'opening' | 'open' | 'error';
  readonly database: D | undefined;
  /** The attachment, for `useSyncStatus` and `usePresence`. */
  readonly attached: SessionOpened['attached'] | undefined;
  /** Why the database could not be opened: see `Session.open`. */
  readonly error: Error | undefined;
  /** Tries again after an error. */
  retry(): void;
}

type Opened = Partial<SessionOpened> & { readonly key: string; readonly error?: Error };

/**
 * Opens a database of the cloud for the signed-in person: `open` of the nearest session. It opens
 * as soon as somebody is signed in, again when another person is, and stays attached until they
 * sign out. Options can be written inline; those of the first render of a database apply.
 * @param ledgerId undefined until the application knows which database it wants
 */
export function useSessionDatabase<C extends Collections>(
  ledgerId: string | undefined,
  options: SessionOpenOptions & { readonly collections: C },
): UsedSessionDatabase<DatabaseWith<C>>;
export function useSessionDatabase(
  ledgerId: string | undefined,
  options?: SessionOpenOptions,
): UsedSessionDatabase;
export function useSessionDatabase(
  ledgerId: string | undefined,
  options: SessionOpenOptions = {},
): UsedSessionDatabase {
  const { session, user } = useSession();
  const [opened, setOpened] = useState<Opened>();
  const [tries, setTries] = useState(0);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const isWaiting = user === undefined || ledgerId === undefined;
  const key = isWaiting ? undefined : JSON.stringify([user.userId, ledgerId, options.name, tries]);
  useEffect(() => {
    if (key === undefined || ledgerId === undefined) return;
    let isOver = false;
    const show = (result: Omit<Opened, 'key'>) => (isOver ? undefined : setOpened({ key, ...result }));
    session.open(ledgerId, latest.current).then(show, (error: Error) => show({ error }));
    return () => {
      isOver = true;
    };
  }, [session, key, ledgerId]);
  return useMemo(() => {
    const current = key !== undefined && opened?.key === key ? opened : undefined;
    const { database, attached, error } = current ?? {};
    const found = error === undefined ? 'opening' : 'error';
    const state = key === undefined ? 'waiting' : database === undefined ? found : 'open';
    return { state, database, attached, error, retry: () => setTries((count) => count + 1) };
  }, [opened, key]);
}
