/**
 * Defines the queries of cloud pages, by noun, and their query keys. `app.ts` defines the keys that
 * other parts use.
 */
import type { Result } from '@fixpoint/protocol';
import { type AdminClient, CLOUD_TOKEN_SECONDS_MAX, type Ledger } from '@fixpoint/protocol/admin';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { LEDGERS_KEY, SESSION_KEY, TENANTS_KEY, USER_KEY } from '../app.ts';
import type { Account, Session } from '../identity/session-port.ts';

/** Returns the value, or throws the error for a query or a boundary to show. */
export async function answerOf<T>(asked: Promise<Result<T>>): Promise<T> {
  const result = await asked;
  if (!result.ok) throw result.error;
  return result.value;
}

const HALF_HOUR_MS = 1_800_000;
/**
 * How long data that other users change stays fresh: the parts of a page share one request, but
 * each page fetches the data again.
 */
const MOMENT_MS = 2000;
/** The server stores what tenants used about once a minute. */
const MINUTE_MS = 60_000;
const AUDIT_PAGE = 20;
const USERS_PAGE = 20;

/** Queries the session; null when nobody is signed in. */
export const sessionQuery = (session: Session) =>
  queryOptions({
    queryKey: SESSION_KEY,
    queryFn: async () => (await session.user()) ?? null,
    retry: false,
  });

/** Queries the signed-in user's record in the cloud. The first query creates the record. */
export const userQuery = (api: AdminClient) =>
  queryOptions({ queryKey: USER_KEY, queryFn: () => answerOf(api.ensureUser()), staleTime: HALF_HOUR_MS });

export const tenantQueries = {
  list: (api: AdminClient) =>
    queryOptions({ queryKey: TENANTS_KEY, queryFn: () => answerOf(api.listTenantsByUser()) }),
};

/** Lists the ledgers of a tenant that the user may open. @throws FixpointError */
export const ledgersOf = (api: AdminClient, tenantId: string): Promise<Ledger[]> =>
  answerOf(api.listLedgersByUser([tenantId]));

export const ledgerQueries = {
  all: LEDGERS_KEY,
  list: (api: AdminClient, tenantId: string) =>
    queryOptions({
      queryKey: [...LEDGERS_KEY, tenantId],
      queryFn: () => ledgersOf(api, tenantId),
    }),
};

export const inviteQueries = {
  list: (api: AdminClient, tenantId: string) =>
    queryOptions({
      queryKey: ['invites', tenantId],
      queryFn: () => answerOf(api.listInvites({ tenantIds: [tenantId] })),
    }),
};

/** Queries the pending invites of the signed-in user. */
export const ownInvitesQuery = (api: AdminClient) =>
  queryOptions({
    queryKey: ['own-invites'],
    queryFn: () => answerOf(api.listInvites({ toMe: true })),
    staleTime: MOMENT_MS,
  });

/** Queries the invite of a mailed link, before the invited person signs in. */
export const linkedInviteQuery = (api: AdminClient, secret: string) =>
  queryOptions({
    queryKey: ['linked-invite', secret],
    queryFn: () => answerOf(api.describeInvite(secret)),
    staleTime: MOMENT_MS,
    retry: false,
  });

/** Queries the API tokens of a tenant; without a tenant, the signed-in user's own tokens. */
export const apiTokensQuery = (api: AdminClient, tenantId?: string) =>
  queryOptions({
    queryKey: ['api-tokens', tenantId ?? null],
    queryFn: () => answerOf(api.listApiTokens(tenantId)),
    staleTime: MOMENT_MS,
  });

/** Queries the apps that a tenant registered, for its admins. */
export const applicationsQuery = (api: AdminClient, tenantId: string) =>
  queryOptions({
    queryKey: ['applications', tenantId],
    queryFn: () => answerOf(api.listApplications(tenantId)),
    staleTime: MOMENT_MS,
  });

/** Queries the own users of a tenant's apps page by page, newest first. */
export const applicationUsersQuery = (api: AdminClient, tenantId: string, search = '') =>
  infiniteQueryOptions({
    queryKey: ['application-users', tenantId, search],
    queryFn: ({ pageParam }) =>
      answerOf(
        api.listApplicationUsers({
          ...{ tenantId, limit: USERS_PAGE },
          ...(search !== '' && { search }),
          ...(pageParam !== undefined && { after: pageParam }),
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: MOMENT_MS,
  });

/** Queries the apps that the signed-in user allowed to sign them in. */
export const applicationGrantsQuery = (api: AdminClient) =>
  queryOptions({
    queryKey: ['application-grants'],
    queryFn: () => answerOf(api.listApplicationGrants()),
    staleTime: MOMENT_MS,
  });

/** Queries for the provider's data about the signed-in user. */
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

/** Queries the audit log of a tenant page by page, newest first. */
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

/** Queries what a tenant used on each of the last 30 days, for its admins. */
export const usageQuery = (api: AdminClient, tenantId: string) =>
  queryOptions({
    queryKey: ['usage', tenantId],
    queryFn: () => answerOf(api.listUsage(tenantId)),
    staleTime: MINUTE_MS,
  });

/** Queries users by a complete email address or id. */
export const foundUsersQuery = (api: AdminClient, text: string) =>
  queryOptions({
    queryKey: ['found-users', text],
    queryFn: () => answerOf(api.findUser({ byString: text })),
    staleTime: HALF_HOUR_MS,
  });

/**
 * The scope of a cloud token: one ledger, or all ledgers of the tenant if `ledgerId` is undefined.
 */
export interface TokenPlace {
  readonly tenantId: string;
  readonly ledgerId?: string | undefined;
}

/**
 * How a token is used: `handOff` is for another app, `resultId` stores the token for an app that
 * waits for it, and `lifeSeconds` changes its lifetime.
 */
export interface TokenUse {
  readonly handOff?: true;
  readonly resultId?: string;
  readonly lifeSeconds?: number;
}

/** Returns a token for the storage gateway. @throws FixpointError with the server's reason */
export const cloudToken = (
  api: AdminClient,
  { tenantId, ledgerId }: TokenPlace,
  use: TokenUse = {},
): Promise<string> =>
  answerOf(
    api.cloudSessionToken({ selected: { tenant: tenantId, ...(ledgerId && { ledger: ledgerId }) }, ...use }),
  );

/**
 * Queries a token for a code snippet. The token opens one ledger, or all ledgers of the tenant
 * while no ledger is chosen.
 */
export const tokenQuery = (api: AdminClient, tenantId: string, ledgerId?: string) =>
  queryOptions({
    queryKey: ['token', tenantId, ledgerId],
    queryFn: () => cloudToken(api, { tenantId, ledgerId }, { lifeSeconds: CLOUD_TOKEN_SECONDS_MAX }),
    staleTime: HALF_HOUR_MS,
  });
