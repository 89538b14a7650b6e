import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { done, refused } from '../cloud/app.fixture.ts';
import { drawNothing } from '../features/charts/no-canvas.fixture.ts';
import { waiting, withPages } from '../ui/pages.fixture.tsx';
import { Component as Admin, action as renameAction } from './cloud.tenants.$tenant.admin.tsx';
import { Component as Delete } from './cloud.tenants.$tenant.delete.tsx';
import { Component as Members } from './cloud.tenants.$tenant.members.tsx';
import { Component as Overview } from './cloud.tenants.$tenant.overview.tsx';
import { Component as Tenant } from './cloud.tenants.$tenant.tsx';
import { BOTH_MEMBERS, drawTenant, ledgerCalled, type TenantGiven } from './tenant-pages.fixture.ts';

withPages();
beforeEach(drawNothing);

const draw = (page: string, given: TenantGiven = {}) =>
  drawTenant(
    page,
    [
      {
        path: '/fp/cloud/tenants/:tenantId',
        children: [
          {
            Component: Tenant,
            children: [
              { path: 'overview', Component: Overview },
              { path: 'members', Component: Members },
              { path: 'admin', Component: Admin, action: renameAction },
            ],
          },
          { path: 'delete', Component: Delete },
        ],
      },
    ],
    given,
  );
const page = (name: string, given?: TenantGiven) => draw(`/fp/cloud/tenants/t1/${name}`, given);
const link = (name: string) => screen.findByRole('link', { name });
const press = async (name: string) => {
  const found = await screen.findByRole('button', { name });
  await act(async () => found.click());
};

describe('the frame of a tenant’s pages', () => {
  test.each(['overview', 'members', 'admin'])('marks the tab %s as the open tab', async (name) => {
    await page(name);
    const tabs = await screen.findByRole('navigation', { name: 'Tenant pages' });
    const current = within(tabs)
      .getAllByRole('link')
      .filter((one) => one.getAttribute('aria-current') === 'page');
    expect(current.map((one) => one.getAttribute('href'))).toEqual([`/fp/cloud/tenants/t1/${name}`]);
    const crumbs = screen.getByRole('navigation', { name: 'Breadcrumb' });
    expect(crumbs.textContent).toBe(current[0]?.textContent);
  });

  test.each(['overview', 'delete'])('does not show %s to users who aren’t members', async (name) => {
    await draw(`/fp/cloud/tenants/other/${name}`);
    expect(await screen.findByText('You aren’t a member of this tenant, or it was deleted.')).toBeDefined();
    expect((await link('Cloud home')).getAttribute('href')).toBe('/fp/cloud');
  });

  test('shows why the tenants can’t be read, and retries on request', async () => {
    const answers = [refused(new FixpointError('FETCH', 'Failed to fetch'))];
    const listTenantsByUser = vi.fn(() => answers.shift() ?? done([]));
    await page('overview', { api: { listTenantsByUser } });
    expect((await screen.findByRole('alert')).textContent).toMatch(/Couldn’t reach the server/);
    await press('Try again');
    expect(await screen.findByText(/You aren’t a member of this tenant/)).toBeDefined();
  });
});

describe('the overview of a tenant', () => {
  const NO_DATABASE = /^(Create a database first|No database yet)$/;

  test('compares the number of databases and members with the limits of the tenant', async () => {
    const limits = { maxLedgers: 5, maxAdminUsers: 2, maxMemberUsers: 8 };
    await page('overview', { ledgers: [ledgerCalled('l1', 'notes')], tenant: { limits } as never });
    const fact = async (name: string) =>
      (await screen.findByText(name, { selector: 'dt, dt *' })).closest('div');
    await waitFor(async () => expect((await fact('Databases'))?.textContent).toBe('Databases1 of 5'));
    expect((await fact('Members'))?.textContent).toBe('Members2 of 10');
  });

  test('asks an admin to create the first database', async () => {
    await page('overview');
    expect((await screen.findByText(NO_DATABASE)).textContent).toBe('Create a database first');
    expect((await link('Create a database')).getAttribute('href')).toBe('/fp/cloud/tenants/t1/ledgers/new');
  });

  test('tells members who aren’t admins whom to ask for a database', async () => {
    await page('overview', { role: 'member' });
    expect((await screen.findByText(NO_DATABASE)).textContent).toBe('No database yet');
    expect(screen.queryByRole('link', { name: 'Create a database' })).toBe(null);
    expect(screen.getByText('Your role').nextElementSibling?.textContent).toBe('member');
  });

  test('links to each database, and doesn’t ask for a first database', async () => {
    await page('overview', { ledgers: [ledgerCalled('l1', 'notes')] });
    const found = await screen.findByRole('link', { name: /notes/ });
    expect(found.getAttribute('href')).toBe('/fp/cloud/tenants/t1/ledgers/l1');
    expect(screen.queryByText(NO_DATABASE)).toBe(null);
  });

  test('shows members and the latest activity to admins', async () => {
    const records = Array.from({ length: 9 }, (_, seq) => ({
      ...{ seq, at: '2026-11-24T12:00:00Z', userId: 'u2', tenantId: 't1', detail: '{}' },
      action: 'reqInviteUser',
    }));
    const listAudit = () => done({ records, next: 9 }) as never;
    const shown = async (list: string) =>
      within(await screen.findByRole('list', { name: list })).getAllByRole('listitem');
    await page('overview', { api: { listAudit } });
    expect((await shown('Members')).map(({ textContent }) => textContent)).toEqual([
      'Adaada@example.comadmin',
      'Bobbob@example.commember',
    ]);
    expect(await shown('Activity')).toHaveLength(6);
    expect(screen.queryByRole('button', { name: 'Show older activity' })).toBeNull();
    expect((await link('Show all activity')).getAttribute('href')).toBe('/fp/cloud/tenants/t1/admin');
  });

  const DAY = { day: '2026-11-20', uploaded: 5, downloaded: 0, requests: 1 };
  /** Returns the headings of both cards, in the order of the page. */
  const order = async () => {
    await screen.findByRole('heading', { name: 'Usage in 30 days' });
    const names = screen.getAllByRole('heading', { level: 2 }).map(({ textContent }) => textContent);
    return names.filter((name) => name === 'Usage in 30 days' || name === 'Connect your application');
  };
  const USAGE_FIRST = ['Usage in 30 days', 'Connect your application'];

  test('shows everything else before the server answers about the usage', async () => {
    const answer = waiting<never>();
    await page('overview', {
      ledgers: [ledgerCalled('l1', 'notes')],
      api: { listUsage: () => answer.promise },
    });
    expect(await screen.findByText('Connect your application')).toBeDefined();
    expect(await order()).toEqual(USAGE_FIRST);
    expect(screen.getByRole('list', { name: 'Members' })).toBeDefined();
    await answer.come({ ok: true, value: { days: [], bytes: 0 } } as never);
    expect(await screen.findByText(/No device has used the databases/)).toBeDefined();
    expect(await order()).toEqual(USAGE_FIRST);
  });

  test('keeps its order when a late answer shows that a new tenant is in use', async () => {
    const answer = waiting<never>();
    const fresh = { ...ledgerCalled('l1', 'notes'), createdAt: new Date().toISOString() };
    await page('overview', { ledgers: [fresh], api: { listUsage: () => answer.promise } });
    await screen.findByText('Connect your application');
    expect(await order()).toEqual(USAGE_FIRST.toReversed());
    await answer.come({ ok: true, value: { days: [DAY], bytes: 5 } } as never);
    await waitFor(() => expect(screen.getByText(/^Bytes that devices sent/)).toBeDefined());
    expect(await order()).toEqual(USAGE_FIRST.toReversed());
  });

  test('shows no usage to a tenant without databases', async () => {
    await page('overview');
    await screen.findByText('Create a database first');
    expect(screen.queryByRole('heading', { name: 'Usage in 30 days' })).toBe(null);
  });

  test('shows no activity to members who aren’t admins', async () => {
    await page('overview', { role: 'member' });
    await screen.findByText('Connect your application');
    expect(screen.queryByRole('list', { name: 'Activity' })).toBeNull();
  });

  test('shows why the databases can’t be read, and doesn’t claim that one is missing', async () => {
    await page('overview', { ledgers: new FixpointError('HTTP', '503') });
    expect((await screen.findByRole('alert')).textContent).toMatch(/503.*Try again in a moment/);
    expect(screen.queryByText(NO_DATABASE)).toBe(null);
  });
});

describe('the page of a tenant’s members', () => {
  const leave = () => screen.findByRole<HTMLButtonElement>('button', { name: 'Leave' });

  test('shows the members only to admins', async () => {
    await page('members', { role: 'member' });
    expect(await screen.findByText('You need admin privileges to manage members.')).toBeDefined();
    expect(screen.queryByText('bob@example.com')).toBe(null);
    expect(screen.queryByRole('button', { name: /Invite/ })).toBe(null);
    expect((await leave()).disabled).toBe(false);
  });

  test('shows the latest activity beside the members', async () => {
    const records = Array.from({ length: 12 }, (_, seq) => ({
      ...{ seq, at: '2026-11-24T12:00:00Z', userId: 'u2', tenantId: 't1', detail: '{}' },
      action: 'reqInviteUser',
    }));
    await page('members', { api: { listAudit: () => done({ records }) as never } });
    const list = await screen.findByRole('list', { name: 'Activity' });
    expect(within(list).getAllByRole('listitem')).toHaveLength(10);
    expect(screen.getByText('Only admins see this page')).toBeDefined();
    expect((await link('Show all activity')).getAttribute('href')).toBe('/fp/cloud/tenants/t1/admin');
  });

  test.each([
    ['the last admin', {}, /You are the last admin/],
    [
      'the owner',
      {
        tenant: { ownerUserId: 'u1' },
        members: BOTH_MEMBERS.map((one) => ({ ...one, role: 'admin' as const })),
      },
      /You own this tenant/,
    ],
  ])('doesn’t let %s leave, and says what to do first', async (_who, given, expected) => {
    await page('members', given);
    expect(await screen.findByText(expected)).toBeDefined();
    expect((await leave()).disabled).toBe(true);
  });

  test('lets a member leave after a confirmation, and opens the cloud home', async () => {
    const removed: unknown[] = [];
    const removeMember = (...all: unknown[]) => {
      removed.push(all);
      return done(undefined) as never;
    };
    const { path } = await page('members', { role: 'member', api: { removeMember } });
    await waitFor(async () => expect((await leave()).disabled).toBe(false));
    await press('Leave');
    expect(removed).toEqual([]);
    await press('Leave tenant');
    await screen.findByText('You left the tenant.');
    expect(removed).toEqual([['t1', 'u1']]);
    await waitFor(() => expect(path()).toBe('/fp/cloud'));
  });
});

describe('the page of a tenant’s settings', () => {
  test('is only for admins', async () => {
    await page('admin', { role: 'member' });
    expect(await screen.findByText('You need admin privileges to change this tenant.')).toBeDefined();
    expect(screen.queryByRole('textbox')).toBe(null);
    expect(screen.queryByRole('link', { name: 'Delete Tenant' })).toBe(null);
  });

  test('renames the tenant, and confirms the change', async () => {
    const renamed: unknown[] = [];
    const updateTenant = (...all: unknown[]) => {
      renamed.push(all);
      return done(undefined) as never;
    };
    await page('admin', { api: { updateTenant } });
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
    expect(field.value).toBe('Acme');
    await act(async () => void fireEvent.change(field, { target: { value: ' Beta ' } }));
    await press('Update Name');
    expect(await screen.findByText('Updated.')).toBeDefined();
    expect(renamed).toEqual([['t1', 'Beta']]);
  });

  test('keeps the typed name when the server rejects it', async () => {
    await page('admin', { api: { updateTenant: () => refused(new FixpointError('CONFLICT', 'Beta')) } });
    const field = await screen.findByRole<HTMLInputElement>('textbox', { name: 'Name' });
    await act(async () => void fireEvent.change(field, { target: { value: 'Beta' } }));
    await press('Update Name');
    expect((await screen.findByRole('alert')).textContent).toMatch(/Beta/);
    expect(field.value).toBe('Beta');
    expect(screen.queryByText('Updated.')).toBe(null);
  });

  test('shows all lists at once, so that no list pushes another one down', async () => {
    const tokens = waiting<{ ok: true; value: never[] }>();
    const listAudit = vi.fn(() => done({ records: [] }) as never);
    await page('admin', { api: { listApiTokens: () => tokens.promise as never, listAudit } });
    await screen.findByRole('textbox', { name: 'Name' });
    await waitFor(() => expect(listAudit).toHaveBeenCalled());
    await act(async () => undefined);
    expect(screen.queryByRole('heading', { name: 'Activity' })).toBe(null);
    await tokens.come({ ok: true, value: [] });
    expect(await screen.findByRole('heading', { name: 'Activity' })).toBeDefined();
    expect((await link('Delete Tenant')).getAttribute('href')).toBe('/fp/cloud/tenants/t1/delete');
  });
});

describe('the second column of a tenant’s settings', () => {
  const fact = (name: string) => screen.getByText(name, { selector: 'dt' }).nextElementSibling?.textContent;

  test('shows admins the limits, and what identifies the tenant', async () => {
    const limits = { maxLedgers: 5, maxAdminUsers: 2, maxMemberUsers: 8, maxInvites: 10 };
    await page('admin', {
      ledgers: [ledgerCalled('l1', 'notes')],
      tenant: { limits, ownerUserId: 'u1' } as never,
    });
    await screen.findByRole('heading', { name: 'Limits' });
    await waitFor(() => expect(fact('Databases')).toBe('1 of 5'));
    expect([fact('Admins'), fact('Members'), fact('Owner')]).toEqual(['1 of 2', '1 of 8', 'ada@example.com']);
    expect(screen.getByText('Only admins see this page')).toBeDefined();
    expect(screen.getByRole('button', { name: 'Copy tenant id' })).toBeDefined();
  });

  test('shows neither to other members', async () => {
    await page('admin', { role: 'member' });
    await screen.findByText('You need admin privileges to change this tenant.');
    expect(screen.queryByRole('heading', { name: 'Limits' })).toBeNull();
    expect(screen.queryByText('Only admins see this page')).toBeNull();
  });
});

describe('deleting a tenant', () => {
  test('is only for admins', async () => {
    await page('delete', { role: 'member' });
    expect(await screen.findByText('You need admin privileges to delete this tenant.')).toBeDefined();
    expect(screen.queryByRole('link', { name: /^Delete/ })).toBe(null);
    expect((await link('Back to the tenant')).getAttribute('href')).toBe('/fp/cloud/tenants/t1/overview');
  });

  test('shows which tenant will be deleted, and deletes the tenant only once', async () => {
    const answer = waiting<never>();
    const deleteTenant = vi.fn(() => answer.promise);
    const { path } = await page('delete', { api: { deleteTenant } });
    const found = await screen.findByRole('link', { name: /^Delete Acme/ });
    expect(found.textContent).toContain('t1');
    await act(async () => found.click());
    await waitFor(() => expect(found.getAttribute('aria-disabled')).toBe('true'));
    await act(async () => found.click());
    await answer.come({ ok: true, value: undefined } as never);
    expect(await screen.findByText('Acme deleted.')).toBeDefined();
    expect(deleteTenant.mock.calls).toEqual([['t1']]);
    await waitFor(() => expect(path()).toBe('/fp/cloud'));
  });

  test('keeps the page, and shows the reason, when the server rejects the deletion', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    const deleteTenant = () => refused(new FixpointError('FORBIDDEN'));
    const { path } = await page('delete', { api: { deleteTenant } });
    const found = await screen.findByRole('link', { name: /^Delete Acme/ });
    await act(async () => found.click());
    expect(await screen.findByRole('alert')).toBeDefined();
    expect(path()).toBe('/fp/cloud/tenants/t1/delete');
  });

  test('leads back to the settings', async () => {
    await page('delete');
    expect((await link('Keep tenant')).getAttribute('href')).toBe('/fp/cloud/tenants/t1/admin');
  });
});
