import type { UserTenant } from '@fixpoint/protocol/admin';
import { screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { done, signedIn, tenantCalled, userWith } from '../../cloud/app.fixture.ts';
import { drawPages, withPages } from '../../ui/pages.fixture.tsx';
import { useTenantInView } from './tenant-in-view.ts';

withPages();
beforeEach(() => localStorage.clear());

const ENGINES = tenantCalled('t1', 'Engines');
const MILLS = tenantCalled('t2', 'Mills');

/** Renders the id of the tenant in view, marked with a star on a page of that tenant. */
async function view(at: string, tenants: readonly UserTenant[] = [ENGINES, MILLS], userId = 'u1') {
  function Page() {
    const inView = useTenantInView(tenants);
    return (
      <output>{inView === undefined ? 'none' : inView.tenant.tenantId + (inView.isOfPage ? '*' : '')}</output>
    );
  }
  const user = { ...userWith('active'), userId };
  const parts = signedIn({ api: { ensureUser: () => done({ user, tenants: [] }) } });
  const pages = await drawPages(
    [
      {
        Component: Page,
        children: [
          { path: '/fp/cloud/tenants/:tenantId', element: null },
          { path: '*', element: null },
        ],
      },
    ],
    at,
    parts,
  );
  return pages;
}
const isShown = (text: string) => waitFor(() => expect(screen.getByRole('status').textContent).toBe(text));
const lastOf = (userId: string) => localStorage.getItem(`fixpoint:tenant:${userId}`);

describe('the tenant in view', () => {
  test('comes from the address, and stays on pages without a tenant', async () => {
    const { go } = await view('/fp/cloud/tenants/t2');
    await isShown('t2*');
    await waitFor(() => expect(lastOf('u1')).toBe('t2'));
    await go('/fp/cloud/account');
    await isShown('t2');
  });

  test('starts with the first tenant of the list', async () => {
    await view('/fp/cloud/account');
    await isShown('t1');
    expect(lastOf('u1')).toBeNull();
  });

  test('is the tenant that this user viewed last on this device', async () => {
    localStorage.setItem('fixpoint:tenant:u1', 't2');
    await view('/fp/cloud/account');
    await isShown('t2');
  });

  test('ignores the tenant that another user viewed on this device', async () => {
    localStorage.setItem('fixpoint:tenant:u1', 't2');
    await view('/fp/cloud/account', undefined, 'u2');
    await isShown('t1');
  });

  test('falls back to the first tenant after the user lost access to the last viewed one', async () => {
    localStorage.setItem('fixpoint:tenant:u1', 't9');
    await view('/fp/cloud/account');
    await isShown('t1');
  });

  test('doesn’t remember a tenant in the address that the user isn’t in', async () => {
    localStorage.setItem('fixpoint:tenant:u1', 't2');
    await view('/fp/cloud/tenants/t9');
    await isShown('t2');
    expect(lastOf('u1')).toBe('t2');
  });

  test('stays undefined for a user without a tenant', async () => {
    await view('/fp/cloud', []);
    await isShown('none');
  });

  test('comes from the address, too, in a browser without storage', async () => {
    const blocked = () => {
      throw new Error('blocked');
    };
    vi.stubGlobal('localStorage', { getItem: blocked, setItem: blocked });
    const { go } = await view('/fp/cloud/tenants/t2');
    await isShown('t2*');
    await go('/fp/cloud/account');
    await isShown('t1');
  });
});
