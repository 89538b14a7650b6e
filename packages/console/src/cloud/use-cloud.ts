/** Cloud calls of components. They are made only once the session is known, somebody is signed in, and the user is active (spec §4). */
import type { Answer, FoundUser, Invite, Ledger, User, UserTenant } from '@fixpoint/protocol/admin';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useApp } from './app.ts';
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
import type { SessionUser } from './session.ts';

/** Who is signed in; null for nobody, no data while that is not known. */
export function useSession(): UseQueryResult<SessionUser | null> {
  return useQuery(sessionQuery(useApp().session));
}

/** The signed-in user as the cloud knows him; undefined while that is not known. */
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

/** Asks nothing for a text that is undefined. */
export function useFoundUsers(text: string | undefined): UseQueryResult<FoundUser[]> {
  const enabled = useIsActive() && text !== undefined;
  return useQuery({ ...foundUsersQuery(useApp().api, text ?? ''), enabled });
}

export function useToken(tenantId: string, ledgerId?: string): UseQueryResult<string> {
  return useQuery({ ...tokenQuery(useApp().api, tenantId, ledgerId), enabled: useIsActive() });
}
