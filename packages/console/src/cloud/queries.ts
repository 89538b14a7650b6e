/** What cloud pages ask, by noun. Keys are here alone. */
import type { Result } from '@fixpoint/protocol';
import { type AdminClient, CLOUD_TOKEN_SECONDS_MAX } from '@fixpoint/protocol/admin';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { LEDGERS_KEY, SESSION_KEY, TENANTS_KEY, USER_KEY } from './app.ts';
import type { Account, Session } from './session.ts';

/** The value, or the error for a query or a boundary to show. */
export async function answerOf<T>(asked: Promise<Result<T>>): Promise<T> {
  const result = await asked;
  if (!result.ok) throw result.error;
  return result.value;
}

const HALF_HOUR_MS = 1_800_000;
/** What others change is asked anew by each page, and once for all parts of a page. */
const MOMENT_MS = 2000;
const AUDIT_PAGE = 20;

/** Who is signed in; null for nobody. */
export const sessionQuery = (session: Session) =>
  queryOptions({
    queryKey: SESSION_KEY,
    queryFn: async () => (await session.user()) ?? null,
    retry: false,
  });

/** Makes the user known at the first sign-in. */
export const userQuery = (api: AdminClient) =>
  queryOptions({ queryKey: USER_KEY, queryFn: () => answerOf(api.ensureUser()), staleTime: HALF_HOUR_MS });

export const tenantQueries = {
  list: (api: AdminClient) =>
    queryOptions({ queryKey: TENANTS_KEY, queryFn: () => answerOf(api.listTenantsByUser()) }),
};

export const ledgerQueries = {
  all: LEDGERS_KEY,
  list: (api: AdminClient, tenantId: string) =>
    queryOptions({
      queryKey: [...LEDGERS_KEY, tenantId],
      queryFn: () => answerOf(api.listLedgersByUser([tenantId])),
    }),
};

export const inviteQueries = {
  list: (api: AdminClient, tenantId: string) =>
    queryOptions({ queryKey: ['invites', tenantId], queryFn: () => answerOf(api.listInvites([tenantId])) }),
};

/** Those that wait for who is signed in. */
export const ownInvitesQuery = (api: AdminClient) =>
  queryOptions({
    queryKey: ['own-invites'],
    queryFn: () => answerOf(api.listOwnInvites()),
    staleTime: MOMENT_MS,
  });

/** Tokens of a tenant, or those by which programs act as who is signed in. */
export const apiTokensQuery = (api: AdminClient, tenantId?: string) =>
  queryOptions({
    queryKey: ['api-tokens', tenantId ?? null],
    queryFn: () => answerOf(api.listApiTokens(tenantId)),
    staleTime: MOMENT_MS,
  });

/** What the provider keeps of who is signed in. */
export const accountQueries = {
  all: ['account'],
  offers: (session: Session) =>
    queryOptions({ queryKey: ['account', 'offers'], queryFn: () => session.account() }),
  sessions: (sessions: NonNullable<Account['sessions']>) =>
    queryOptions({
      queryKey: ['account', 'sessions'],
      queryFn: () => answerOf(sessions.list()),
      staleTime: MOMENT_MS,
    }),
  secondFactor: (secondFactor: NonNullable<Account['secondFactor']>) =>
    queryOptions({
      queryKey: ['account', 'second-factor'],
      queryFn: () => answerOf(secondFactor.isOn()),
      staleTime: MOMENT_MS,
    }),
  passkeys: (passkeys: NonNullable<Account['passkeys']>) =>
    queryOptions({
      queryKey: ['account', 'passkeys'],
      queryFn: () => answerOf(passkeys.list()),
      staleTime: MOMENT_MS,
    }),
};

export const shareQueries = {
  list: (api: AdminClient, tenantId: string, ledgerId: string) =>
    queryOptions({
      queryKey: ['shares', ledgerId],
      queryFn: () => answerOf(api.listShares({ tenantId, ledgerId })),
    }),
};

/** What was done in a tenant, page by page, newest first. */
export const auditQuery = (api: AdminClient, tenantId: string) =>
  infiniteQueryOptions({
    queryKey: ['audit', tenantId],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.listAudit({ tenantId, limit: AUDIT_PAGE, ...(pageParam !== undefined && { before: pageParam }) }),
      ),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: MOMENT_MS,
  });

/** People whom a text names: a whole address or id. */
export const foundUsersQuery = (api: AdminClient, text: string) =>
  queryOptions({
    queryKey: ['found-users', text],
    queryFn: () => answerOf(api.findUser({ byString: text })),
    staleTime: HALF_HOUR_MS,
  });

/** A token with which an application reaches the storage gateway for an hour. */
/** A token for a snippet of code. It opens one database, or those of the tenant while none is chosen. */
export const tokenQuery = (api: AdminClient, tenantId: string, ledgerId?: string) =>
  queryOptions({
    queryKey: ['token', tenantId, ledgerId],
    queryFn: () =>
      answerOf(
        api.cloudSessionToken({
          selected: { tenant: tenantId, ...(ledgerId && { ledger: ledgerId }) },
          lifeSeconds: CLOUD_TOKEN_SECONDS_MAX,
        }),
      ),
    staleTime: HALF_HOUR_MS,
  });
