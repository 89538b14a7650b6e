import { FixpointError } from '@fixpoint/protocol';
import {
  type Answer,
  createAdminClient,
  type Payload,
  type RequestType,
  reasonFor,
} from '@fixpoint/protocol/admin';
import { QueryClient, queryOptions } from '@tanstack/react-query';
import { identityAuth } from './session.ts';

const MINUTE_MS = 60_000;

/** What may go better the next time. Whatever else fails was refused by the server. */
const PASSING: readonly string[] = ['FETCH', 'NO_TOKEN'];
const isRefusal = (error: unknown) => error instanceof FixpointError && !PASSING.includes(error.code);

/** Defaults of spec §9: three retries, answers kept for five minutes. What the server refused is not asked again. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: (failures, error) => failures < 3 && !isRefusal(error),
      gcTime: 5 * MINUTE_MS,
      staleTime: MINUTE_MS / 2,
    },
  },
});

export const admin = createAdminClient({
  url: '/api',
  fetch: (...request) => fetch(...request),
  auth: identityAuth,
});

/** The answer, or the error for a query or a boundary to show. */
export async function ask<T extends RequestType>(type: T, payload: Payload<T>): Promise<Answer<T>> {
  const result = await admin.call(type, payload);
  if (!result.ok) throw result.error;
  return result.value;
}

export const messageOf = (error: unknown): string =>
  error instanceof FixpointError ? reasonFor(error) : error instanceof Error ? error.message : String(error);

/** Makes the user known and redeems invites. */
export const userQuery = queryOptions({ queryKey: ['user'], queryFn: () => ask('reqEnsureUser', {}) });

export const tenantsQuery = queryOptions({
  queryKey: ['tenants'],
  queryFn: async () => (await ask('reqListTenantsByUser', {})).tenants,
});

export const ledgersQuery = queryOptions({
  queryKey: ['ledgers'],
  queryFn: async () => (await ask('reqListLedgersByUser', {})).ledgers,
});

export const invitesQuery = (tenantId: string) =>
  queryOptions({
    queryKey: ['invites', tenantId],
    queryFn: async () => (await ask('reqListInvites', { tenantIds: [tenantId] })).tickets,
  });

export async function cloudToken(selected: { tenant: string; ledger?: string }): Promise<string> {
  return (await ask('reqCloudSessionToken', { selected })).token;
}
