/**
 * Provides cloud queries for components. Except for the queries of the session and the user, they
 * run only for an active, signed-in user (spec §4).
 */
import type { Answer, FoundUser, Invite, Ledger, User, UserTenant } from '@fixpoint/protocol/admin';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useApp } from '../app.ts';
import type { SessionUser } from '../identity/session-port.ts';
import {
  foundUsersQuery,
  inviteQueries,
  ledgerQueries,
  sessionQuery,
  shareQueries,
  tenantQueries,
  tokenQuery,
  userQuery,
} from './queries.ts';

/**
 * Returns the session: null when nobody is signed in, and no data until the server has answered.
 */
export function useSession(): UseQueryResult<SessionUser | null> {
  return useQuery(sessionQuery(useApp().session));
}

/** Returns the signed-in user's cloud record; undefined until it is known. */
export function useCloudUser(): User | undefined {
  const { data: somebody } = useSession();
  const enabled = somebody !== undefined && somebody !== null;
  const { data } = useQuery({ ...userQuery(useApp().api), enabled });
  return enabled ? data?.user : undefined;
}

const useIsActive = (): boolean => useCloudUser()?.status === 'active';

export function useTenants(): UseQueryResult<UserTenant[]> {
  return useQuery({ ...tenantQueries.list(useApp().api), enabled: useIsActive() });
}

export function useLedgers(tenantId: string | undefined): UseQueryResult<Ledger[]> {
  const enabled = useIsActive() && tenantId !== undefined;
  return useQuery({ ...ledgerQueries.list(useApp().api, tenantId ?? ''), enabled });
}

export function useInvites(tenantId: string): UseQueryResult<Invite[]> {
  return useQuery({ ...inviteQueries.list(useApp().api, tenantId), enabled: useIsActive() });
}

export function useShares(tenantId: string, ledgerId: string): UseQueryResult<Answer<'reqListShares'>> {
  return useQuery({ ...shareQueries.list(useApp().api, tenantId, ledgerId), enabled: useIsActive() });
}

/** Finds users by a text. Runs no query when the text is undefined. */
export function useFoundUsers(text: string | undefined): UseQueryResult<FoundUser[]> {
  const enabled = useIsActive() && text !== undefined;
  return useQuery({ ...foundUsersQuery(useApp().api, text ?? ''), enabled });
}

export function useToken(tenantId: string, ledgerId?: string): UseQueryResult<string> {
  return useQuery({ ...tokenQuery(useApp().api, tenantId, ledgerId), enabled: useIsActive() });
}

/**
 * Shorter than five seconds, because revoked rights must take effect on open pages within five
 * seconds (S5).
 */
const LOOK_AGAIN_MS = 4000;

/**
 * Refetches the user's rights every few seconds while the page is visible, so that changes made
 * elsewhere appear here.
 */
export function useFreshRights(isActive: boolean): void {
  const { api, queries } = useApp();
  const { data } = useQuery({
    ...tenantQueries.list(api),
    enabled: isActive,
    refetchInterval: LOOK_AGAIN_MS,
  });
  const rights = data?.map(({ tenantId, role }) => `${tenantId} ${role}`).join();
  const before = useRef(rights);
  useEffect(() => {
    if (before.current !== undefined && before.current !== rights)
      void queries.invalidateQueries({ queryKey: ledgerQueries.all });
    before.current = rights;
  }, [rights, queries]);
}
