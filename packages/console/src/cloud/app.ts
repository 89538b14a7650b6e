/** What the cloud pages work with. Loaders and actions get it from the router's context, components by `useApp`. */

import { isFixpointError } from '@fixpoint/protocol';
import { type AdminClient, createAdminClient } from '@fixpoint/protocol/admin';
import { QueryCache, QueryClient } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { createContext as createRouterContext } from 'react-router';
import { isWorthRetrying, retryDelayMs } from './retry.ts';
import { createSession, type Session, type SessionUser } from './session.ts';

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

/** Keys of who is signed in, of the user that he is here, and of what he has; `cloud/queries.ts` asks. */
export const SESSION_KEY = ['session'] as const;
export const USER_KEY = ['user'] as const;
export const TENANTS_KEY = ['tenants'] as const;
export const LEDGERS_KEY = ['ledgers'] as const;
const MINUTE_MS = 60_000;

/** What is done in the page when it is known who is signed in. */
export interface OnUser {
  /** Another one than before: loads the page again. */
  readonly startAnew: () => void;
  readonly goOn: (email: string) => void;
}

/** Joins session, admin API and cache. */
export function createApp(fetch: typeof globalThis.fetch, onUser: OnUser): App {
  const session = createSession({ fetch, now: () => Date.now() });
  const api = createAdminClient({ url: '/api', fetch, auth: session.auth });
  const queryCache = new QueryCache({ onError: (error, { queryKey }) => lookAgain(error, queryKey) });
  const queries = new QueryClient({
    queryCache,
    defaultOptions: {
      // A browser that believes to be offline may be wrong, and a call that waits for it says nothing.
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
  /** A session that ended elsewhere, or a user who is no longer let in, is noticed by the first refusal. */
  function lookAgain(error: unknown, queryKey: readonly unknown[]): void {
    if (!isFixpointError(error, 'NOT_SIGNED_IN') && !isFixpointError(error, 'NO_TOKEN')) return;
    session.forgetToken();
    for (const known of [SESSION_KEY, USER_KEY])
      if (known[0] !== queryKey[0]) void queries.invalidateQueries({ queryKey: known });
  }
  followUser(queryCache, onUser);
  return { session, api, queries };
}

/** When another user signed in by another tab, nothing that this page knows, or runs, is of him: it begins anew. */
function followUser(queryCache: QueryCache, { startAnew, goOn }: OnUser): void {
  let email: string | undefined;
  queryCache.subscribe((event) => {
    if (event.query.queryKey[0] !== SESSION_KEY[0]) return;
    // By signing in or out here all that was known is dropped.
    if (event.type === 'removed') email = undefined;
    if (event.type !== 'updated' || event.action.type !== 'success') return;
    const now = (event.query.state.data as SessionUser | null | undefined)?.email;
    if (now === undefined) return;
    // What this page writes down when it is left is of the one before: whose notes these are is looked at after that.
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
