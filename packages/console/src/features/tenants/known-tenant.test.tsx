import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient, UserTenant } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { done, refused, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { drawPart, press } from '../../cloud/part.fixture.tsx';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { KnownTenant } from './known-tenant.tsx';
import { sparkPath, TenantFacts, type TenantFactsProps } from './tenant-facts.tsx';

withPages();

const LIMITED = { maxAdminUsers: 5, maxMemberUsers: 20, maxInvites: 10, maxLedgers: 10 };
const ENGINES = tenantCalled('t1', 'Engines');

describe('the page of a tenant', () => {
  const Page = () => <KnownTenant>{({ tenant }) => <h1>{tenant.name}</h1>}</KnownTenant>;
  const at = (path: string, parts = signedIn({ tenants: [ENGINES] })) =>
    drawPages(
      [
        { path: '/fp/cloud/tenants/:tenantId', Component: Page },
        { path: '*', Component: pageCalled('Elsewhere') },
      ],
      path,
      parts,
    );

  test('opens for its members', async () => {
    await at('/fp/cloud/tenants/t1');
    await screen.findByRole('heading', { name: 'Engines' });
  });

  test.each(['t2', 'constructor', '%3Cimg%3E'])('says "Not found" for the tenant %s', async (id) => {
    await at(`/fp/cloud/tenants/${id}`);
    await screen.findByRole('heading', { name: 'Not found' });
    await screen.findByText('You aren’t a member of this tenant, or it was deleted.');
    expect(screen.getByRole('link', { name: 'Cloud home' }).getAttribute('href')).toBe('/fp/cloud');
  });

  test('doesn’t say "Not found" when the tenants couldn’t be loaded', async () => {
    let isDown = true;
    const listTenantsByUser = () => (isDown ? refused(new FixpointError('FETCH', 'x')) : done([ENGINES]));
    await at('/fp/cloud/tenants/t1', signedIn({ api: { listTenantsByUser } }));
    expect((await screen.findByRole('alert')).textContent).toContain('Couldn’t reach the server.');
    expect(screen.queryByText('Not found')).toBeNull();
    isDown = false;
    await press('Try again');
    await screen.findByRole('heading', { name: 'Engines' });
  });
});

describe('the facts of a tenant', () => {
  const day = { requests: 0, uploaded: 1_000_000, downloaded: 500_000 };
  let listUsage: AdminClient['listUsage'];
  beforeEach(() => {
    listUsage = () =>
      done({
        days: [
          { ...day, day: '2026-11-20', stored: 1_000_000 },
          { ...day, day: '2026-11-21', stored: 2_000_000 },
        ],
        bytes: 2_500_000,
        maxBytes: 1e9,
      });
  });
  async function facts(given: Partial<UserTenant>, ledgerCount: TenantFactsProps['ledgerCount'] = 3) {
    const tenant = { ...ENGINES, tenant: { ...ENGINES.tenant, limits: LIMITED }, ...given };
    await drawPart(
      () => <TenantFacts tenant={tenant} ledgerCount={ledgerCount} />,
      signedIn({ api: { listUsage } }),
    );
  }
  const fact = (name: string) => screen.getByText(name).closest('div')?.querySelector('dd')?.textContent;

  test('shows admins the counts with their limits, and links to the lists', async () => {
    await facts({ members: [{ userId: 'u1', role: 'admin' }] });
    expect([fact('Databases'), fact('Members')]).toEqual(['3 of 10', '1 of 25']);
    const links = within(document.body).getAllByRole('link');
    expect(links.map((link) => link.getAttribute('href'))).toEqual([
      '/fp/cloud/tenants/t1/ledgers',
      '/fp/cloud/tenants/t1/members',
    ]);
  });

  test('shows members their role, and no limit that concerns only admins', async () => {
    await facts({ role: 'member' });
    expect([fact('Databases'), fact('Your role'), screen.queryByText('Members')]).toEqual([
      '3 ',
      'member',
      null,
    ]);
  });

  test('shows admins the bytes of 30 days and the storage, each with a small chart', async () => {
    await facts({ members: [] });
    await waitFor(() => expect(fact('Storage')).toBe('2.5 MB of 1 GB'));
    expect(fact('Sent and fetched in 30 days')).toBe('3 MB');
    expect(document.querySelectorAll('dd svg')).toHaveLength(2);
  });

  test('shows that the usage couldn’t be read', async () => {
    listUsage = () => refused(new FixpointError('FORBIDDEN'));
    await facts({ members: [] });
    await waitFor(() =>
      expect([fact('Storage'), fact('Sent and fetched in 30 days')]).toEqual(['unknown', 'unknown']),
    );
  });

  test('draws one dot for each database of a small limit, and fills those that exist', async () => {
    await facts({ members: [] });
    const dots = [...document.querySelectorAll('dd')].map((dd) =>
      dd.querySelectorAll('[aria-hidden] > span'),
    );
    expect(dots[0]).toHaveLength(10);
    expect([...(dots[0] ?? [])].filter(({ className }) => className.includes('bg-accent'))).toHaveLength(3);
    expect(dots[1]).toHaveLength(0);
  });

  test('shows no count before it is known, and no limit that the server doesn’t send', async () => {
    const some = { ...ENGINES, members: [{ userId: 'u1', role: 'admin' as const }] };
    await drawPart(
      () => <TenantFacts tenant={some} ledgerCount={undefined} />,
      signedIn({ api: { listUsage } }),
    );
    expect([fact('Databases'), fact('Members')]).toEqual(['…', '1 ']);
  });
});

describe('the line of a small chart', () => {
  test('leads from the left to the right edge, with the largest value at the top', () => {
    expect(sparkPath([0, 5, 10])).toBe('M0 25L36 14L72 3');
  });

  test.each([
    ['no values', []],
    ['one value', [3]],
    ['only zeros', [0, 0, 0]],
  ])('is missing for %s', (_, values) => {
    expect(sparkPath(values)).toBeUndefined();
  });
});
