import type { Result } from '@fixpoint/protocol';
import type { AdminClient, Ledger, UserTenant } from '@fixpoint/protocol/admin';
import type { RouteObject } from 'react-router';
import { ada, appWith, done, tenantCalled, userWith } from '../cloud/app.fixture.ts';
import { type DrawnPages, drawPages, pageCalled } from '../ui/pages.fixture.tsx';

export const ledgerCalled = (ledgerId: string, name: string): Ledger => ({
  ledgerId,
  tenantId: 't1',
  name,
  ownerId: 'u1',
  maxShares: 5,
  createdAt: '2026-01-02T03:04:05Z',
  updatedAt: '2026-01-02T03:04:05Z',
});

export const BOTH_MEMBERS: NonNullable<UserTenant['members']> = [
  { userId: 'u1', role: 'admin', email: 'ada@example.com', name: 'Ada' },
  { userId: 'u2', role: 'member', email: 'bob@example.com', name: 'Bob' },
];

export interface TenantGiven {
  readonly role?: UserTenant['role'];
  readonly tenant?: Partial<UserTenant['tenant']>;
  readonly members?: UserTenant['members'];
  /** The databases of the tenant, or the error of the request that lists them. */
  readonly ledgers?: readonly Ledger[] | Error;
  readonly api?: Partial<AdminClient>;
}

/** Renders pages of the tenant `t1`, called Acme, for its member Ada. */
export async function drawTenant(
  at: string,
  routes: readonly RouteObject[],
  { role = 'admin', tenant = {}, members = BOTH_MEMBERS, ledgers = [], api }: TenantGiven = {},
): Promise<DrawnPages> {
  const made = tenantCalled('t1', 'Acme');
  const own = {
    ...made,
    role,
    tenant: { ...made.tenant, ...tenant },
    ...(role === 'admin' && { members }),
  } as UserTenant;
  const none = (): Promise<Result<never>> => done([] as never);
  const parts = appWith({
    user: ada,
    api: {
      ensureUser: () => done({ user: userWith('active'), tenants: [own] }),
      listTenantsByUser: () => done([own]),
      listLedgersByUser: async () =>
        ledgers instanceof Error
          ? ({ ok: false, error: ledgers } as never)
          : { ok: true, value: [...ledgers] },
      listInvites: none,
      listApiTokens: none,
      listApplications: none,
      listApplicationUsers: () => done({ users: [] }),
      listAudit: () => done({ records: [] }) as never,
      listUsage: () => done({ days: [], bytes: 0 }) as never,
      cloudSessionToken: () => done('the-token'),
      ...api,
    },
  });
  const others = [
    { path: '/fp/cloud', Component: pageCalled('Cloud home') },
    { path: '*', Component: pageCalled('Another page') },
  ];
  return drawPages([...routes, ...others], at, parts);
}
