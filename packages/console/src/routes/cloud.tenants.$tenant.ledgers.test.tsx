import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Outlet } from 'react-router';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { done, refused } from '../cloud/app.fixture.ts';
import type { LedgerContext } from '../features/ledgers/ledger-context.ts';
import { ledgerPages } from '../local/database-pages.ts';
import { withPages } from '../ui/pages.fixture.tsx';
import {
  action as renameAction,
  Component as Settings,
} from './cloud.tenants.$tenant.ledgers.$ledger.settings.tsx';
import { Component as Sharing } from './cloud.tenants.$tenant.ledgers.$ledger.sharing.tsx';
import { action as createAction, Component as NewLedger } from './cloud.tenants.$tenant.ledgers.new.tsx';
import { Component as Ledgers } from './cloud.tenants.$tenant.ledgers.tsx';
import { drawTenant, ledgerCalled, type TenantGiven } from './tenant-pages.fixture.ts';

withPages();
afterEach(() => {
  sessionStorage.clear();
  vi.restoreAllMocks();
});

const LEDGERS = '/fp/cloud/tenants/:tenantId/ledgers';
const CONTEXT = {
  database: {
    name: 'cache',
    explain: async () => ({
      declared: [{ kind: 'fields', fields: ['year'], prefix: '', isReady: true }],
    }),
    rows: { count: async () => 12 },
    subscribe: () => () => undefined,
  },
  attached: new Promise(() => undefined),
  pages: ledgerPages('/fp/cloud/tenants/t1/ledgers/l1'),
  tenantId: 't1',
  ledgerId: 'l1',
  name: 'notes',
} as unknown as LedgerContext;

const draw = (page: string, given: TenantGiven = {}) =>
  drawTenant(
    `/fp/cloud/tenants/t1/ledgers${page}`,
    [
      { path: LEDGERS, Component: Ledgers },
      { path: `${LEDGERS}/new`, Component: NewLedger, action: createAction },
      {
        path: `${LEDGERS}/:ledgerId`,
        element: <Outlet context={CONTEXT} />,
        children: [
          { path: 'settings', Component: Settings, action: renameAction },
          { path: 'sharing', Component: Sharing },
        ],
      },
    ],
    given,
  );
const field = (name: string) => screen.findByLabelText<HTMLInputElement>(name);
const type = async (name: string, value: string) => {
  const found = await field(name);
  await act(async () => void fireEvent.change(found, { target: { value } }));
};
const press = async (name: string) => {
  const found = await screen.findByRole('button', { name });
  await act(async () => found.click());
};

describe('the page of a tenant’s databases', () => {
  test('lists each database with a link', async () => {
    await draw('', { ledgers: [ledgerCalled('l1', 'notes'), ledgerCalled('l2', 'tasks')] });
    await screen.findByRole('list', { name: 'Databases of this tenant' });
    expect(screen.getAllByRole('link').map((one) => one.getAttribute('href'))).toEqual([
      '/fp/cloud/tenants/t1/ledgers/new',
      '/fp/cloud/tenants/t1/ledgers/l1',
      '/fp/cloud/tenants/t1/ledgers/l2',
    ]);
  });

  test.each([
    ['an admin', 'admin', true],
    ['another member', 'member', false],
  ] as const)('offers %s a link to create a database (role %s): %s', async (_who, role, may) => {
    await draw('', { role });
    await screen.findByText('Select a database from the sidebar or create a new one.');
    expect(screen.queryByRole('link', { name: 'New Database' }) !== null).toBe(may);
  });

  test('says why the databases can’t be listed', async () => {
    await draw('', { ledgers: new FixpointError('HTTP', '500') });
    expect((await screen.findByRole('alert')).textContent).toMatch(/500/);
  });
});

describe('the page for a new database in the cloud', () => {
  test('is only for admins', async () => {
    await draw('/new', { role: 'member' });
    expect(await screen.findByText(/You need admin privileges to create databases/)).toBeDefined();
    expect(screen.queryByRole('textbox')).toBe(null);
  });

  test('says when the tenant has as many databases as its limit allows', async () => {
    const limits = { maxLedgers: 1 } as never;
    await draw('/new', { tenant: { limits }, ledgers: [ledgerCalled('l1', 'notes')] });
    expect(await screen.findByText(/Delete one before you create another/)).toBeDefined();
  });

  test('opens the database after creating it', async () => {
    const createLedger = vi.fn(() => done(ledgerCalled('l9', 'tasks')));
    const { path } = await draw('/new', { api: { createLedger } });
    await type('New Database Name:', '  tasks ');
    await press('Create');
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t1/ledgers/l9'));
    expect(createLedger.mock.calls).toMatchObject([[{ tenantId: 't1', name: 'tasks' }]]);
  });

  test('keeps a name that is too short, and shows the reason next to the field', async () => {
    const createLedger = vi.fn(() => done(ledgerCalled('l9', 'ab')));
    await draw('/new', { api: { createLedger } });
    await type('New Database Name:', 'ab');
    await press('Create');
    expect((await screen.findByRole('alert')).textContent).toBe('Name must be at least 3 characters');
    await waitFor(async () => expect(document.activeElement).toBe(await field('New Database Name:')));
    expect([(await field('New Database Name:')).value, createLedger.mock.calls]).toEqual(['ab', []]);
  });

  test('shows why the server rejected the database', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    await draw('/new', { api: { createLedger: () => refused(new FixpointError('CONFLICT', 'tasks')) } });
    await type('New Database Name:', 'tasks');
    await press('Create');
    expect((await screen.findByRole('alert')).textContent).toBe('conflict: tasks');
  });
});

describe('the page of a database’s settings', () => {
  test('is only for admins', async () => {
    await draw('/l1/settings', { role: 'member' });
    expect(
      await screen.findByText(/You need admin privileges to rename or delete this database/),
    ).toBeDefined();
    for (const name of ['Update Name', 'Delete Database'])
      expect(screen.queryByRole('button', { name })).toBeNull();
    expect(screen.queryByRole('textbox')).toBeNull();
  });

  test('renames the database', async () => {
    const updateLedger = vi.fn(() => done(undefined) as never);
    await draw('/l1/settings', { api: { updateLedger } });
    expect((await field('Name')).value).toBe('notes');
    await type('Name', 'tasks');
    await press('Update Name');
    expect(await screen.findByText('Updated.')).toBeDefined();
    expect(updateLedger.mock.calls).toEqual([[{ tenantId: 't1', ledgerId: 'l1', name: 'tasks' }]]);
  });

  test('doesn’t send a name that is too short', async () => {
    const updateLedger = vi.fn(() => done(undefined) as never);
    await draw('/l1/settings', { api: { updateLedger } });
    await type('Name', 'ab');
    await press('Update Name');
    expect((await screen.findByRole('alert')).textContent).toBe('Name must be at least 3 characters');
    expect(updateLedger).not.toHaveBeenCalled();
  });

  test('deletes the database only after the user typed its name', async () => {
    const deleteLedger = vi.fn(() => refused(new FixpointError('FORBIDDEN')));
    vi.spyOn(console, 'error').mockReturnValue(undefined);
    await draw('/l1/settings', { api: { deleteLedger } });
    await press('Delete Database');
    const confirm = await screen.findByRole<HTMLButtonElement>('button', { name: 'Delete for everybody' });
    expect(confirm.disabled).toBe(true);
    await type('Type the name of the database', 'note');
    expect(confirm.disabled).toBe(true);
    await type('Type the name of the database', 'notes');
    expect(confirm.disabled).toBe(false);
    await act(async () => confirm.click());
    await waitFor(() => expect(deleteLedger.mock.calls).toEqual([[{ tenantId: 't1', ledgerId: 'l1' }]]));
  });
});

describe('the second column of a database’s settings', () => {
  test.each(['admin', 'member'] as const)('exports the database and names its id (role %s)', async (role) => {
    await draw('/l1/settings', { role });
    await screen.findByRole('button', { name: 'Export 12 documents' });
    expect(screen.getByRole('button', { name: 'Copy database id' })).toBeDefined();
    expect(screen.getByText('l1').tagName).toBe('CODE');
    expect(screen.getByRole('button', { name: 'Keep on this device' })).toBeDefined();
  });

  test.each(['admin', 'member'] as const)(
    'lists the indexes of this browser’s copy (role %s)',
    async (role) => {
      await draw('/l1/settings', { role });
      const table = await screen.findByRole('table', { name: 'Indexes' });
      expect(
        within(table)
          .getAllByRole('cell')
          .map(({ textContent }) => textContent),
      ).toEqual(['year', 'filter and sort', 'Up to date']);
    },
  );
});

describe('the sharing of a database', () => {
  const listShares = vi.fn(() => done({ ledgerId: 'l1', maxShares: 5, shares: [], tickets: [] }));
  const api = { listShares } as unknown as Partial<AdminClient>;

  test('shows admins the form for a new share', async () => {
    await draw('/l1/sharing', { api });
    expect(await screen.findByRole('button', { name: 'Share' })).toBeDefined();
    expect(screen.getByRole('link', { name: 'Members of the tenant' }).getAttribute('href')).toBe(
      '/fp/cloud/tenants/t1/members',
    );
  });

  test('requests no shares for members who aren’t admins', async () => {
    listShares.mockClear();
    await draw('/l1/sharing', { role: 'member', api });
    expect(
      await screen.findByText(/Ask an admin to change who can read or write this database/),
    ).toBeDefined();
    expect(listShares).not.toHaveBeenCalled();
    expect(screen.queryByRole('button', { name: 'Share' })).toBe(null);
  });
});
