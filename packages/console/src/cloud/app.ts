/**
 * Wires the parts that cloud pages use. Loaders and actions get them from the router's context,
 * components from `useApp`.
 */

import { isFixpointError } from '@fixpoint/protocol';
import { type AdminClient, createAdminClient } from '@fixpoint/protocol/admin';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { createContext as createRouterContext } from 'react-router';
import { createSession } from './identity/create-session.ts';
import type { Session, SessionUser } from './identity/session-port.ts';
import { isWorthRetrying, retryDelayMs } from './queries/retry.ts';

declare module 'react-router' {
  interface Future {
    v8_middleware: true;
  }
}

export interface App {
  readonly session: Session;
  readonly api: AdminClient;
  readonly queries: QueryClient;
}

/** Query keys of the session and the cloud user. `cloud/queries/queries.ts` defines the queries. */
export const SESSION_KEY = ['session'] as const;
export const USER_KEY = ['user'] as const;
export const TENANTS_KEY = ['tenants'] as const;
export const LEDGERS_KEY = ['ledgers'] as const;
const MINUTE_MS = 60_000;

/** Callbacks that run once the signed-in user is known. */
export interface OnUser {
  /** Loads the page again because another user is signed in. */
  readonly startAnew: () => void;
  readonly goOn: (email: string) => void;
}

const otherTabs =
  typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('fixpoint:session');

/** Tells the other tabs that the session ended. */
export const tellSignedOut = (): void => otherTabs?.postMessage('ended');

/** Creates the session, the admin API and the cache, and connects them. */
export function createApp(fetch: typeof globalThis.fetch, onUser: OnUser): App {
  const session = createSession({ fetch, now: () => Date.now() });
  const api = createAdminClient({ url: '/api', fetch, auth: session.auth });
  const queryCache = new QueryCache({ onError: (error, { queryKey }) => lookAgain(error, queryKey) });
  const queries = new QueryClient({
    queryCache,
    defaultOptions: {
      // `navigator.onLine` can be wrong, and a call that is paused because of a wrong value reports
      // no failure.
      mutations: { networkMode: 'always' },
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        retry: (failures, error) => failures < 3 && isWorthRetrying(error),
        retryDelay: retryDelayMs,
        gcTime: 5 * MINUTE_MS,
        staleTime: MINUTE_MS / 2,
      },
    },
  });
  /**
   * Checks the session again when the server rejects a call. The session may have ended elsewhere,
   * or the user may have lost access.
   */
  function lookAgain(error: unknown, queryKey: readonly unknown[]): void {
    if (!isFixpointError(error, 'NOT_SIGNED_IN') && !isFixpointError(error, 'NO_TOKEN')) return;
    session.forgetToken();
    for (const known of [SESSION_KEY, USER_KEY])
      if (known[0] !== queryKey[0]) void queries.invalidateQueries({ queryKey: known });
  }
  followUser(queryCache, onUser);
  // Another tab may have ended the session. This tab then ends what runs with the user's rights.
  otherTabs?.addEventListener('message', () => {
    session.forgetToken();
    void queries.invalidateQueries({ queryKey: SESSION_KEY });
  });
  return { session, api, queries };
}

/**
 * Reloads the page when another user signs in from another tab, because the page's data and pending
 * work belong to the previous user.
 */
function followUser(queryCache: QueryCache, { startAnew, goOn }: OnUser): void {
  let email: string | undefined;
  queryCache.subscribe((event) => {
    if (event.query.queryKey[0] !== SESSION_KEY[0]) return;
    // Signing in or out on this page drops all cached data.
    if (event.type === 'removed') email = undefined;
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    const now = (event.query.state.data as SessionUser | null | undefined)?.email;
    if (now === undefined) return;
    // When this page unloads, it still saves notes of the previous user. So the reloaded page
    // checks the owner of the notes.
    if (email !== undefined && now !== email) startAnew();
    else goOn(now);
    email = now;
  });
}

export const app = createRouterContext<App>();
export const AppContext = createContext<App | undefined>(undefined);

export function useApp(): App {
  const found = useContext(AppContext);
  if (found === undefined) throw new Error('AppContext has no value');
  return found;
}
