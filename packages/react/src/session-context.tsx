import type { DatabaseOptions } from 'fixpoint';
import type { Session, SessionState } from 'fixpoint/session';
import { createContext, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';

interface Provided {
  readonly session?: Session | undefined;
  readonly defaults?: DatabaseOptions | undefined;
}

const ProvidedContext = createContext<Provided>({});

/** Props of `FixpointProvider`. */
export interface FixpointProviderProps extends Provided {
  /** A session that was created outside of components, with `createSession`. */
  readonly session?: Session | undefined;
  /**
   * Options for the databases that components open by name, such as `{ storage: 'memory' }` in
   * tests. A component's own options take precedence.
   */
  readonly defaults?: DatabaseOptions | undefined;
  /** Components that use the session and the databases. */
  readonly children?: ReactNode;
}

/**
 * Provides a session, and options for databases, to all components below it. A provider inside of
 * another one replaces only what it has.
 */
export function FixpointProvider({ session, defaults, children }: FixpointProviderProps) {
  const outer = useContext(ProvidedContext);
  const provided = useMemo(
    () => ({ session: session ?? outer.session, defaults: defaults ?? outer.defaults }),
    [session, defaults, outer],
  );
  return <ProvidedContext.Provider value={provided}>{children}</ProvidedContext.Provider>;
}

/** Returns the options for databases that the nearest `FixpointProvider` provides. */
export const useDefaults = (): DatabaseOptions | undefined => useContext(ProvidedContext).defaults;

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
 * @throws Error outside of a `FixpointProvider` with a session
 */
export function useSession(): UsedSession {
  const { session } = useContext(ProvidedContext);
  if (session === undefined) throw new Error('useSession needs a FixpointProvider with a session above it');
  const state = useSyncExternalStore(session.onChange, session.state, startingState);
  return useMemo(() => {
    const { signIn, signOut, databases, open } = session;
    return { ...state, signIn, signOut, databases, open, session };
  }, [session, state]);
}
