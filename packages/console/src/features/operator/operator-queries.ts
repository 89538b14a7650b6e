/** Queries of operators, and their query keys. */
import type { AdminClient } from '@fixpoint/protocol/admin';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { answerOf } from '../../cloud/queries/queries.ts';

const KEY = 'operator';
/** All data of operators. A change may affect several lists. */
export const OPERATOR_KEY = [KEY] as const;
const FRESH_MS = 5000;
const REFRESH_MS = 30_000;

export const serverQuery = (api: AdminClient) =>
  queryOptions({
    queryKey: [KEY, 'server'],
    queryFn: () => answerOf(api.describeServer()),
    staleTime: FRESH_MS,
    refetchInterval: REFRESH_MS,
  });

/** Options of all lists. A list stays while the server searches, so that the page doesn't jump. */
const paged = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next }: { readonly next?: string | undefined }) => next,
  placeholderData: keepPreviousData,
  staleTime: FRESH_MS,
};

export const tenantsQuery = (api: AdminClient, search: string) =>
  infiniteQueryOptions({
    ...paged,
    queryKey: [KEY, 'tenants', search],
    queryFn: ({ pageParam: after }) => answerOf(api.listServerTenants({ search, ...(after && { after }) })),
  });

export type ShownStatus = 'active' | 'banned' | 'waiting';

export const usersQuery = (api: AdminClient, search: string, status?: ShownStatus) =>
  infiniteQueryOptions({
    ...paged,
    queryKey: [KEY, 'users', search, status ?? null],
    queryFn: ({ pageParam: after }) =>
      answerOf(api.listServerUsers({ search, ...(status && { status }), ...(after && { after }) })),
  });

export const recordsQuery = (api: AdminClient) =>
  infiniteQueryOptions({
    ...paged,
    queryKey: [KEY, 'audit'],
    queryFn: ({ pageParam: before }) => answerOf(api.listServerAudit({ ...(before && { before }) })),
  });

export const gatewaysQuery = (api: AdminClient) =>
  queryOptions({
    queryKey: [KEY, 'gateways'],
    queryFn: () => answerOf(api.listGateways()),
    refetchInterval: REFRESH_MS,
  });

export const mailsQuery = (api: AdminClient) =>
  queryOptions({ queryKey: [KEY, 'mails'], queryFn: () => answerOf(api.listFailedMails()) });

export const backupsQuery = (api: AdminClient) =>
  queryOptions({ queryKey: [KEY, 'backups'], queryFn: () => answerOf(api.listBackups()) });
