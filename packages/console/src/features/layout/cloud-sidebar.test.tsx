import { FixpointError, type Result } from '@fixpoint/protocol';
import type { AdminClient, Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { Attached } from 'fixpoint';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ada, appWith, done, refused, signedIn, tenantCalled, userWith } from '../../cloud/app.fixture.ts';
import { setOpenedLedger } from '../../cloud/ledgers/opened-ledgers.ts';
import { drawPages, pageCalled, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { CloudSidebar, CloudSidebarOfUser } from './cloud-sidebar.tsx';

withPages();
beforeEach(() => localStorage.clear());

const LONG = 'Measurements of the second engine';
const ledgerCalled = (ledgerId: string, name: string): Ledger => ({
  ledgerId,
  tenantId: 't1',
  name,
  ownerId: 'u1',
  maxShares: 5,
  createdAt: '',
  updatedAt: '',
});
const TENANTS = [tenantCalled('t1', 'Engines'), tenantCalled('t2', 'Mills')];

async function sidebar(at: string, tenants: readonly UserTenant[] = TENANTS, api: Partial<AdminClient> = {}) {
  const asked: unknown[] = [];
  const parts = signedIn({
    tenants,
    api: {
      listLedgersByUser: (ids) => {
        asked.push(ids);
        return done([ledgerCalled('z1', 'Notes'), ledgerCalled('z2', LONG)]);
      },
      ...api,
    },
  });
  const pages = await drawPages(
    [
      {
        Component: CloudSidebar,
        children: [
          { path: '/fp/cloud/tenants/:tenantId/ledgers/:ledgerId/*', Component: pageCalled('Ledger') },
          { path: '/fp/cloud/tenants/:tenantId/*', Component: pageCalled('Tenant') },
          { path: '*', Component: pageCalled('Page') },
        ],
      },
    ],
    at,
    parts,
  );
  return { ...pages, asked };
}
const nav = () => screen.findByRole('navigation', { name: 'Tenant' });
const links = async () =>
  within(await nav())
    .getAllByRole('link')
    .map((link) => [link.getAttribute('aria-label') ?? link.textContent?.trim(), link.getAttribute('href')]);
const current = async () =>
  within(await nav())
    .queryAllByRole('link', { current: 'page' })
    .map((link) => link.textContent?.trim());
const select = () => screen.findByRole<HTMLSelectElement>('combobox', { name: 'Tenant' });

describe('the navigation of a tenant', () => {
  test('lists the tenant’s databases, and truncates long names only visually', async () => {
    const { asked } = await sidebar('/fp/cloud/tenants/t1/overview');
    await screen.findByRole('link', { name: 'Notes' });
    const base = '/fp/cloud/tenants/t1';
    expect(await links()).toEqual([
      ['Home', `${base}/overview`],
      ['Databases', `${base}/ledgers`],
      ['New database', `${base}/ledgers/new`],
      ['Notes', `${base}/ledgers/z1`],
      [`Measurements of the … ${LONG}`, `${base}/ledgers/z2`],
    ]);
    expect(screen.getByTitle(LONG).textContent).toBe('Measurements of the …');
    expect(asked).toEqual([['t1']]);
  });

  test.each([
    ['/overview', 'Home'],
    ['/overview/', 'Home'],
    ['/members', 'Home'],
    ['/admin', 'Home'],
    ['/ledgers', 'Databases'],
    ['/ledgers/z1/settings', 'Notes'],
    ['/ledgers/z1/documents/d1', 'All Documents'],
    ['/ledgers/z1/query', 'Query'],
    ['/ledgers/z1/history', 'History'],
  ])('marks the entry of the page %s: %s', async (page, place) => {
    await sidebar(`/fp/cloud/tenants/t1${page}`);
    await screen.findByRole('link', { name: 'Notes' });
    expect(await current()).toEqual([place]);
  });

  test('marks nothing on the page for a new database, or on the user’s account', async () => {
    const { go } = await sidebar('/fp/cloud/tenants/t1/ledgers/new');
    expect(await current()).toEqual([]);
    await go('/fp/cloud/account');
    expect(await current()).toEqual([]);
  });

  test('says that the databases are loading, or why they couldn’t be loaded', async () => {
    const answer = waiting<Result<Ledger[]>>();
    await sidebar('/fp/cloud/tenants/t1/overview', TENANTS, { listLedgersByUser: () => answer.promise });
    expect((await within(await nav()).findByRole('status')).textContent).toBe('Loading...');
    await answer.come({ ok: false, error: new FixpointError('FETCH', 'reset') });
    await screen.findByText(/Couldn’t reach the server/);
    expect((await links()).map(([name]) => name)).toEqual(['Home', 'Databases', 'New database']);
  });

  test('says that a tenant has no database yet, in a row as high as an entry', async () => {
    const answer = waiting<Result<Ledger[]>>();
    await sidebar('/fp/cloud/tenants/t1/overview', TENANTS, { listLedgersByUser: () => answer.promise });
    const row = (await within(await nav()).findByRole('status')).className.replace(' animate-late', '');
    await answer.come({ ok: true, value: [] });
    expect((await screen.findByText('No databases yet.')).className).toBe(row);
  });

  test('shows markup in names as text', async () => {
    await sidebar('/fp/cloud/tenants/t1/overview', TENANTS, {
      listLedgersByUser: () => done([ledgerCalled('z9', '<img src=x>')]),
    });
    await screen.findByRole('link', { name: '<img src=x>' });
    expect((await nav()).querySelector('img')).toBeNull();
  });
});

describe('the sync state of a database', () => {
  const entries = async () => within(await nav()).getAllByRole('listitem');
  /** Returns the states that screen readers read after the names. */
  const states = async () =>
    (await entries()).map((entry) => entry.textContent?.replace(/^(Notes|Measurements of the …)/, ''));
  const open = (ledgerId: string, attached: Parameters<typeof setOpenedLedger>[1]) =>
    act(async () => setOpenedLedger(ledgerId, attached));
  afterEach(() => {
    cleanup();
    for (const ledgerId of ['z1', 'z2']) setOpenedLedger(ledgerId, undefined);
  });

  test('appears when the page opens the database, changes live, and disappears when it is closed', async () => {
    await sidebar('/fp/cloud/tenants/t1/overview');
    await screen.findByRole('link', { name: 'Notes' });
    expect(await states()).toEqual(['', '']);
    const { attached, become } = attachedWith({ first: { state: 'connecting' } });
    await open('z1', Promise.resolve(attached));
    await waitFor(async () => expect(await states()).toEqual(['Connecting', '']));
    await become({ state: 'in-sync' });
    expect(await states()).toEqual(['In sync', '']);
    await become({ state: 'catching-up', toSend: 12 });
    expect(await states()).toEqual(['12 to send', '']);
    await become({ state: 'offline', error: new FixpointError('FETCH', 'reset') });
    expect((await states())[0]).toMatch(/^Offline: 12 to send\. Couldn’t reach the server\./);
    expect(screen.getByRole('link', { name: 'Notes' })).toBeDefined();
    await open('z1', undefined);
    expect(await states()).toEqual(['', '']);
  });

  test('is "Refused" with the reason for a database that couldn’t be attached, whatever others are', async () => {
    const attaching = waiting<Attached>();
    await sidebar('/fp/cloud/tenants/t1/ledgers');
    await screen.findByRole('link', { name: 'Notes' });
    await open('z1', attaching.promise);
    await open('z2', Promise.resolve(attachedWith().attached));
    await attaching.come(Promise.reject(new FixpointError('NOT_FOUND')) as never);
    await waitFor(async () => expect((await states())[1]).toBe('In sync'));
    expect((await states())[0]).toMatch(/^Refused: You don’t have access to this database/);
    expect(screen.queryAllByRole('status')).toEqual([]);
  });
});

describe('the choice of the tenant', () => {
  test('leads to the overview of the chosen tenant, and lists its databases', async () => {
    const { path, asked } = await sidebar('/fp/cloud/tenants/t1/members');
    const field = await select();
    expect([field.value, field.title]).toEqual(['t1', 'Engines']);
    await act(async () => void fireEvent.change(field, { target: { value: 't2' } }));
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/t2/overview'));
    expect([(await select()).value, asked.at(-1)]).toEqual(['t2', ['t2']]);
  });

  test('leads to the page for a new tenant', async () => {
    const { path } = await sidebar('/fp/cloud/tenants/t1/members');
    const field = await select();
    await act(async () => void fireEvent.change(field, { target: { value: 'new' } }));
    await waitFor(() => expect(path()).toBe('/fp/cloud/tenants/new'));
  });

  test('prefers the user’s own name of a tenant, truncated in the list', async () => {
    const own = { ...tenantCalled('t1', 'Engines'), user: { status: 'active', name: LONG } };
    await sidebar('/fp/cloud/tenants/t1/overview', [own]);
    const [first, last] = (await select()).options;
    expect([first?.text, first?.title, last?.text]).toEqual(['Measurements of the …', LONG, 'New Tenant']);
  });
});

describe('a user without a tenant', () => {
  test('sees that databases need a tenant, and where to create one', async () => {
    await sidebar('/fp/cloud', []);
    expect((await select()).selectedOptions[0]?.text).toBe('No tenant yet');
    expect(await links()).toEqual([
      ['Home', '/fp/cloud'],
      ['Databases', '/fp/cloud'],
      ['Create one', '/fp/cloud/tenants/new'],
    ]);
  });
});

describe('the space of the last known databases', () => {
  const known = (answers: Record<string, unknown>) =>
    localStorage.setItem('lastKnown', JSON.stringify(answers));
  const reserved = () => document.querySelector('[inert][aria-hidden="true"].invisible');
  const ledgers = [ledgerCalled('z1', 'Notes'), ledgerCalled('z2', 'Plans')];

  test('is reserved while the databases load, and free of links', async () => {
    known({ '["ledgers","t1"]': ledgers });
    const answer = waiting<Result<Ledger[]>>();
    await sidebar('/fp/cloud/tenants/t1/overview', TENANTS, { listLedgersByUser: () => answer.promise });
    expect((await within(await nav()).findByRole('status')).textContent).toBe('Loading...');
    const items = [...(reserved()?.querySelectorAll('li') ?? [])];
    expect(items.map(({ textContent }) => textContent)).toEqual(['Notes', 'Plans']);
    expect(screen.queryByRole('link', { name: 'Notes' })).toBeNull();
    await answer.come({ ok: true, value: ledgers.slice(0, 1) });
    await screen.findByRole('link', { name: 'Notes' });
    expect([reserved(), screen.queryByText('Plans')]).toEqual([null, null]);
  });

  test('is reserved while the tenants load, for the tenant that the user viewed last', async () => {
    const user = { ...userWith('active'), userId: 'u1' };
    localStorage.setItem('fixpoint:tenant:u1', 't2');
    known({ '["tenants"]': TENANTS, '["user"]': { user, tenants: [] }, '["ledgers","t2"]': ledgers });
    const answer = waiting<Result<UserTenant[]>>();
    await sidebar('/fp/cloud/account', [], {
      ensureUser: () => done({ user, tenants: [] }),
      listTenantsByUser: () => answer.promise,
    });
    await screen.findAllByText('Loading...');
    expect(reserved()?.querySelectorAll('li')).toHaveLength(2);
    expect(reserved()?.querySelector('select')?.value).toBe('t2');
    await answer.come({ ok: true, value: TENANTS });
    expect((await select()).value).toBe('t2');
  });

  test('is reserved before the session is known, only for users who were signed in', async () => {
    for (const [answers, texts] of [
      [{}, 0],
      [{ '["session"]': ada, '["tenants"]': TENANTS }, 1],
    ] as const) {
      localStorage.clear();
      known(answers);
      const session = waiting<typeof ada | undefined>();
      await drawPages(
        [{ path: '*', Component: CloudSidebarOfUser }],
        '/fp/databases',
        appWith({ session: { user: () => session.promise } }),
      );
      expect(document.querySelectorAll('select')).toHaveLength(texts);
      await session.come(undefined);
      await waitFor(() => expect(document.querySelectorAll('select')).toHaveLength(0));
      cleanup();
    }
  });
});

describe('the list of tenants', () => {
  test('says that it is loading, or why it couldn’t be loaded', async () => {
    const answer = waiting<Result<UserTenant[]>>();
    await sidebar('/fp/cloud', [], { listTenantsByUser: () => answer.promise });
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe('Loading...'));
    await answer.come({ ok: false, error: new FixpointError('FETCH', 'reset') });
    await screen.findByText(/Couldn’t reach the server/);
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  test('stays on the page when a later request fails', async () => {
    let isDown = false;
    const listTenantsByUser = () => (isDown ? refused(new FixpointError('FETCH')) : done([...TENANTS]));
    const { go } = await sidebar('/fp/cloud/tenants/t1/overview', TENANTS, { listTenantsByUser });
    await select();
    isDown = true;
    await go('/fp/cloud/tenants/t2/overview');
    expect((await select()).value).toBe('t2');
  });
});
