import type { Session, SessionState } from 'fixpoint/session';
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';

const SessionContext = createContext<Session | undefined>(undefined);

/** Props of `FixpointProvider`. */
export interface FixpointProviderProps {
  /** A session that was created outside of components, with `createSession`. */
  readonly session: Session;
  /** Components that use the session. */
  readonly children?: ReactNode;
}

/** Provides a session to all components below it. */
export function FixpointProvider({ session, children }: FixpointProviderProps) {
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** Result of `useSession`: the current state, and the functions of the session. */
export type UsedSession = SessionState &
  Pick<Session, 'signIn' | 'signOut' | 'databases' | 'open'> & {
    /** The session that `FixpointProvider` provides. */
    readonly session: Session;
  };

/** Servers render the first state, so that the first render in the browser is the same. */
const STARTING: SessionState = { status: 'starting' };
const startingState = () => STARTING;

/**
 * Returns the session of the nearest `FixpointProvider`, and renders again after each change.
 * @throws Error outside of a `FixpointProvider`
 */
export function useSession(): UsedSession {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('useSession needs a FixpointProvider above it');
  const state = useSyncExternalStore(session.onChange, session.state, startingState);
  return useMemo(() => {
    const { signIn, signOut, databases, open } = session;
    return { ...state, signIn, signOut, databases, open, session };
  }, [session, state]);
}
