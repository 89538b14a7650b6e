import type { AdminClient, ServerTenant, ServerUser } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { done, refusedWith, signedIn, userWith } from '../cloud/app.fixture.ts';
import { sessionQuery, userQuery } from '../cloud/queries/queries.ts';
import { withEngine } from '../engine/engine-here.fixture.ts';
import { drawPages, withPages } from '../ui/pages.fixture.tsx';
import { widthOfWindow } from '../ui/window-width.fixture.ts';
import { Component as Operator } from './cloud.operator.tsx';

withPages();
withEngine();
afterEach(() => void vi.unstubAllGlobals());

const AT = '2026-11-20T12:00:00.000Z';
const SERVER = {
  ...{ version: '1.2.3', signUp: 'waitlist' as const, tenants: 2, people: 3, waiting: 1, ledgers: 4 },
  ...{ bytes: 2_500_000, gateways: 1, failedMails: 1 },
};
const tenant = (tenantId: string, more: Partial<ServerTenant> = {}): ServerTenant => ({
  ...{
    tenantId,
    name: `Tenant ${tenantId}`,
    status: 'active',
    ownerUserId: 'u1',
    ownerEmail: 'ada@example.com',
  },
  ...{ createdAt: AT, maxAdminUsers: 5, maxMemberUsers: 5, maxInvites: 10, maxLedgers: 5, maxShares: 5 },
  ...{ admins: 1, members: 2, ledgers: 3, bytes: 900, traffic: [], ...more },
});
const user = (userId: string, more: Partial<ServerUser> = {}): ServerUser => ({
  ...{ userId, email: `${userId}@example.com`, provider: 'fixpoint', status: 'active', operator: false },
  ...{ ownedTenants: 1, maxTenants: 5, createdAt: AT, usedAt: AT, ...more },
});

/** Renders a page of operators. Collects the changes that the page sends. */
async function draw(page: string, api: Partial<AdminClient> = {}, operator = true) {
  const sent: unknown[] = [];
  const parts = signedIn({
    api: {
      ensureUser: () => done({ user: { ...userWith('active'), operator }, tenants: [] }),
      listLedgersByUser: () => done([]),
      listInvites: () => done([]),
      describeServer: () => done(SERVER),
      setTenantLimits: (limits) => {
        sent.push(limits);
        return done({ tenantId: limits.tenantId });
      },
      changeUser: (...change) => {
        sent.push(change);
        return done({ userId: change[0] });
      },
      approveWaiting: (userIds) => {
        sent.push(userIds);
        return done({ userIds });
      },
      ...api,
    },
  });
  await parts.queries.prefetchQuery(sessionQuery(parts.session));
  await parts.queries.prefetchQuery(userQuery(parts.api));
  const route = { path: '/fp/cloud/operator/:page?', Component: Operator };
  await drawPages([route], `/fp/cloud/operator${page}`, parts);
  return { sent };
}
const press = async (name: string | RegExp, role = 'button') => {
  const found = await screen.findByRole(role, { name });
  await act(async () => void fireEvent.click(found));
};

describe('the pages of operators', () => {
  test('hides them from other users', async () => {
    await draw('/users', {}, false);
    expect(await screen.findByRole('heading', { name: 'Not found' })).toBeDefined();
    expect(screen.getByText(/only operators of this server can open it/)).toBeDefined();
    expect(screen.queryByRole('navigation', { name: 'Operator' })).toBe(null);
    expect(screen.queryByRole('link', { name: 'Tenants' })).toBe(null);
    expect(screen.getByRole('link', { name: 'Cloud home' })).toBeDefined();
  });

  test('shows that an unknown address is not found', async () => {
    await draw('/toString');
    expect(await screen.findByRole('heading', { name: 'Not found' })).toBeDefined();
  });

  test('shows the sign-up mode and figures of the server, and counts in the sidebar', async () => {
    const gateway = { gatewayId: 'g', url: 'http://one:7370', version: '1', startedAt: AT, seenAt: AT };
    await draw('', {
      listServerTenants: () => done({ tenants: [] }),
      listGateways: () => done([4, 3].map((sockets) => ({ ...gateway, sockets }))),
      listBackups: () => done({ backups: [] }),
    });
    const figures = await screen.findByLabelText('Server');
    await waitFor(() => expect(figures.isConnected || screen.getByLabelText('Server')).toBeTruthy());
    expect(screen.getByTitle('new accounts wait for approval').textContent).toBe('Sign-up: waitlist');
    expect(screen.getByLabelText('Server').textContent).toContain('2.5 MBin 2 tenants');
    await waitFor(() => {
      const { textContent } = screen.getByLabelText('Server');
      expect(textContent).toContain('Connections7now');
      expect(textContent).toContain('Last backupNonenot scheduled');
    });
    expect(screen.getByText('2 tenants, 3 users')).toBeDefined();
    const sidebar = within(screen.getByRole('navigation', { name: 'Operator' }));
    expect(sidebar.getByRole('link', { name: 'Tenants 2' }).getAttribute('aria-current')).toBe('page');
    expect(sidebar.getByRole('link', { name: 'Waitlist 1' }).getAttribute('aria-current')).toBe(null);
    expect(screen.getByText('No tenants yet.')).toBeDefined();
  });
});

describe('the tenants of a server', () => {
  test('shows their storage, and loads page by page', async () => {
    const pages = [
      { tenants: [tenant('t1', { bytes: 950, maxBytes: 1000 })], next: 't1' },
      {
        tenants: [
          tenant('t2', {
            traffic: [{ day: new Date().toISOString().slice(0, 10), uploaded: 7, downloaded: 3 }],
          }),
        ],
      },
    ];
    await draw('', {
      listServerTenants: ({ after }) => done(pages[after === undefined ? 0 : 1] ?? { tenants: [] }),
    });
    const first = await screen.findByRole('row', { name: /Tenant t1/ });
    expect(first.textContent).toContain('Tenant t1ada@example.com3 / 53 / 10950 B1 kB');
    await press('Show more');
    const second = await screen.findByRole('row', { name: /Tenant t2/ });
    expect(second.textContent).toContain('900 B no quota10 B');
    expect(screen.queryByRole('button', { name: 'Show more' })).toBe(null);
  });

  test('changes their limits and byte quotas', async () => {
    const { sent } = await draw('', { listServerTenants: () => done({ tenants: [tenant('t1')] }) });
    await press(/Tenant t1/);
    const storage = await screen.findByLabelText<HTMLInputElement>('Storage');
    fireEvent.change(storage, { target: { value: 'much' } });
    await press('Save limits');
    expect((await screen.findByRole('alert')).textContent).toBe('Enter a size, such as 500 MB or 10 GB.');
    fireEvent.change(storage, { target: { value: '10 GB' } });
    fireEvent.change(screen.getByLabelText('Databases'), { target: { value: '9' } });
    fireEvent.change(screen.getByLabelText('Shares of each database'), { target: { value: '20' } });
    await press('Save limits');
    await screen.findByText('The limits of Tenant t1 are saved.');
    expect(sent).toEqual([{ tenantId: 't1', maxBytes: 10_000_000_000, maxLedgers: 9, maxShares: 20 }]);
    expect(screen.queryByRole('dialog')).toBe(null);
  });

  test('sorts complete lists, and shows only tenants near a limit', async () => {
    const tenants = [tenant('t2', { bytes: 5 }), tenant('t1', { bytes: 990, maxBytes: 1000 })];
    await draw('', { listServerTenants: () => done({ tenants }) });
    await screen.findByText('Tenant t1');
    const names = () => screen.getAllByText(/^Tenant t/).map(({ textContent }) => textContent);
    expect(names()).toEqual(['Tenant t2', 'Tenant t1']);
    fireEvent.change(screen.getByLabelText('Sort tenants'), { target: { value: 'storage' } });
    expect(names()).toEqual(['Tenant t1', 'Tenant t2']);
    await press('1 at or near a limit');
    expect(names()).toEqual(['Tenant t1']);
  });

  test('shows a chosen tenant beside the list in a wide window, with its last events', async () => {
    widthOfWindow(true);
    const record = { seq: 1, at: AT, userId: 'u1', email: 'ada@example.com', action: 'reqCreateTenant' };
    const records = [
      { ...record, tenantId: 't1', detail: '{}' },
      { ...record, tenantId: 't2', detail: '{}' },
    ];
    const { sent } = await draw('', {
      listServerTenants: () => done({ tenants: [tenant('t1', { maxBytes: 1000 })] }),
      listServerAudit: () => done({ records }),
    });
    await press(/Tenant t1/);
    const panel = within(await screen.findByRole('complementary', { name: 'Tenant Tenant t1' }));
    expect(panel.getByRole('heading', { name: /^Storage/ }).textContent).toBe('Storage 900 B of 1 kB');
    const events = within(await panel.findByRole('list', { name: 'Last events' }));
    expect(events.getAllByRole('listitem')).toHaveLength(1);
    fireEvent.change(panel.getByLabelText('Members'), { target: { value: '7' } });
    await press('Save limits');
    await waitFor(() => expect(sent).toEqual([{ tenantId: 't1', maxBytes: 1000, maxMemberUsers: 7 }]));
    await press('Close');
    expect(screen.queryByRole('complementary', { name: 'Tenant Tenant t1' })).toBe(null);
  });

  test('searches, and retries after a failure', async () => {
    let isDown = true;
    await draw('', {
      listServerTenants: ({ search }) =>
        isDown ? refusedWith('The server is tired.') : done({ tenants: search === '' ? [tenant('t1')] : [] }),
    });
    expect(await screen.findByText('The server is tired.')).toBeDefined();
    isDown = false;
    await press('Try again');
    await screen.findByText('Tenant t1');
    fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'none' } });
    expect(await screen.findByText('No tenant matches “none”.')).toBeDefined();
  });
});

describe('the people of a server', () => {
  test('bans them after a confirmation, but not the operator', async () => {
    const users = [user('u1', { operator: true }), user('u2'), user('u3', { status: 'banned' })];
    const { sent } = await draw('/users', { listServerUsers: () => done({ users }) });
    expect((await screen.findAllByRole('row'))[1]?.textContent).toContain(
      'u1@example.comu1ActiveOperator1 / 5',
    );
    await press('Actions for u1@example.com');
    await screen.findByRole('menuitem', { name: 'Sign out everywhere' });
    expect(screen.queryByRole('menuitem', { name: 'Ban...' })).toBe(null);
    await press('Sign out everywhere', 'menuitem');
    await press('Actions for u2@example.com');
    await press('Ban...', 'menuitem');
    await press('Ban');
    await screen.findByText('u2@example.com is banned, and signed out everywhere.');
    await press('Actions for u3@example.com');
    await press('Let them sign in', 'menuitem');
    await waitFor(() =>
      expect(sent).toEqual([
        ['u1', 'sign-out'],
        ['u2', 'ban'],
        ['u3', 'unban'],
      ]),
    );
  });

  test('approves one or all who wait on the waitlist', async () => {
    const users = [user('u2', { status: 'waiting' }), user('u3', { status: 'waiting' })];
    const asked: unknown[] = [];
    const { sent } = await draw('/waitlist', {
      listServerUsers: ({ status }) => {
        asked.push(status);
        return done({ users });
      },
    });
    expect(
      await screen.findByText(/Sign-up is set to waitlist: new accounts wait for approval/),
    ).toBeDefined();
    await press('Approve u2@example.com');
    await screen.findByText('Approved, and notified by mail.');
    await press('Approve all 2');
    await screen.findByText('Approved 2 people.');
    expect([sent, new Set(asked)]).toEqual([[['u2'], ['u2', 'u3']], new Set(['waiting'])]);
  });
});

describe('the state of a server', () => {
  test('shows running gateways', async () => {
    const gateway = {
      gatewayId: 'g',
      url: 'http://one:7370',
      version: '1',
      sockets: 1,
      startedAt: AT,
      seenAt: AT,
    };
    await draw('/gateways', { listGateways: () => done([gateway]) });
    expect((await screen.findByRole('listitem')).textContent).toMatch(
      /^http:\/\/one:73701Running since .*1 connection$/,
    );
  });

  test.each([
    [{ backups: [] }, 'No scheduled backups'],
    [{ backups: [], everyHours: 24 }, 'No backup is complete yet.'],
    [{ backups: [], everyHours: 1, problem: 'It doesn’t answer.' }, 'It doesn’t answer.'],
    [
      {
        backups: [{ id: 'b1', moment: AT, finished: AT, objects: 2, bytes: 1500, missing: 1 }],
        everyHours: 6,
      },
      '1.5 kB, 2 objects',
    ],
  ])('shows backups: %j', async (answer, text) => {
    await draw('/backups', { listBackups: () => done(answer) });
    expect(await screen.findByText(text, { exact: false })).toBeDefined();
  });

  test('shows failed mails', async () => {
    const mail = {
      mailId: 'm',
      receiver: 'bob@example.com',
      subject: 'Invite',
      reason: 'no such user',
      failedAt: AT,
    };
    await draw('/mails', { listFailedMails: () => done([mail]) });
    expect(await screen.findByText('To bob@example.com: no such user')).toBeDefined();
  });

  test('shows audit records in words, with their tenant', async () => {
    const record = { seq: 1, at: AT, userId: 'u1', action: 'reqChangeUser', tenantId: 'server' };
    const records = [
      { ...record, email: 'ada@example.com', detail: '{"userId":"u2","action":"ban"}', from: '192.0.2.1' },
      { ...record, action: 'reqCreateTenant', tenantId: 't1', detail: '{"tenant":{"name":"Acme"}}' },
    ];
    await draw('/audit', { listServerAudit: () => done({ records }) });
    const [first, second] = await screen.findAllByRole('listitem');
    expect(first?.textContent).toMatch(/^ada@example.com changed a user: banServer.* from 192\.0\.2\.1$/);
    expect(second?.textContent).toMatch(/^u1 created the tenant AcmeTenant t1/);
  });
});
