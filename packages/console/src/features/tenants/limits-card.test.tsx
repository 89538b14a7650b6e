import type { UserTenant } from '@fixpoint/protocol/admin';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { done, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { drawPart } from '../../cloud/part.fixture.tsx';
import { withPages } from '../../ui/pages.fixture.tsx';
import { LimitsCard } from './limits-card.tsx';
import { TenantCard } from './tenant-card.tsx';

withPages();

const LIMITS = { maxAdminUsers: 2, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5 };
const MEMBERS = [
  { userId: 'u1', role: 'admin' as const, email: 'ada@example.com', name: 'Ada' },
  { userId: 'u2', role: 'admin' as const, email: 'grace@example.com' },
  { userId: 'u3', role: 'member' as const },
];
const tenantWith = (tenant: Partial<UserTenant['tenant']> = {}): UserTenant => {
  const made = tenantCalled('t1', 'Acme');
  return { ...made, tenant: { ...made.tenant, ...tenant }, members: MEMBERS };
};
const fact = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;

/** Renders the card of a tenant with three databases, one pending invite and 38 MB. */
const limits = (tenant: UserTenant, maxBytes?: number) =>
  drawPart(
    () => <LimitsCard tenant={tenant} />,
    signedIn({
      api: {
        listLedgersByUser: () => done([{}, {}, {}] as never),
        listInvites: () => done([{ status: 'pending' }, { status: 'accepted' }] as never),
        listUsage: () => done({ days: [], bytes: 38_000_000, ...(maxBytes && { maxBytes }) } as never),
      },
    }),
  );

test('shows how much of its limits a tenant uses, and says which limit is reached', async () => {
  await limits(tenantWith({ limits: LIMITS }), 1e9);
  await waitFor(() => expect(fact('Databases')).toBe('3 of 5'));
  await waitFor(() => expect(fact('Storage')).toBe('38 MB of 1 GB'));
  expect(['Admins', 'Members', 'Pending invites'].map(fact)).toEqual(['2 of 2, full', '1 of 5', '1 of 10']);
});

test('shows numbers without limits if the server sends no limits', async () => {
  await limits(tenantWith());
  await waitFor(() => expect(fact('Databases')).toBe('3'));
  await waitFor(() => expect(fact('Storage')).toBe('38 MB'));
  expect(['Admins', 'Members', 'Pending invites'].map(fact)).toEqual(['2', '1', '1']);
});

test('shows what identifies a tenant, and who owns it', async () => {
  await drawPart(() => <TenantCard tenant={tenantWith({ ownerUserId: 'u2' })} />, signedIn());
  expect(fact('Tenant id')).toMatch(/^t1/);
  expect([fact('Server'), fact('Owner'), fact('Your role')]).toEqual([
    location.host,
    'grace@example.com',
    'admin',
  ]);
});

test('claims no owner if the server doesn’t name one', async () => {
  await drawPart(() => <TenantCard tenant={tenantWith()} />, signedIn());
  expect(screen.queryByText('Owner')).toBeNull();
});
