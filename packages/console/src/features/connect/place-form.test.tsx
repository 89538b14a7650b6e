import { FixpointError, type Result } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { act, fireEvent, screen, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { done, refused, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import { enter, hasButton, press } from '../../cloud/part.fixture.tsx';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { drawPages, pageCalled, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { HOSTILE_NAMES } from '../../values/hostile-names.fixture.ts';
import { AGREED } from './address-form.tsx';
import { PlaceForm, type PlaceFormProps } from './place-form.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());

const ledgerCalled = (ledgerId: string, name: string, more: Partial<Ledger> = {}): Ledger => ({
  ledgerId,
  tenantId: 'zT',
  name,
  ownerId: 'u1',
  maxShares: 5,
  createdAt: '',
  updatedAt: '',
  ...more,
});
const ORDERS = ledgerCalled('zOrders', 'orders');
const LAB = tenantCalled('zT', 'Language Lab');
const MILLS = tenantCalled('zM', 'Mills');
const memberOf = (tenant: UserTenant): UserTenant => ({ ...tenant, role: 'member' });
const limitedTo = (maxLedgers: number): UserTenant => ({
  ...LAB,
  tenant: { ...LAB.tenant, limits: { maxLedgers } as never },
});

interface Given extends Partial<PlaceFormProps> {
  readonly tenants?: readonly UserTenant[];
  readonly listed?: (tenantId: unknown) => Promise<Result<Ledger[]>>;
}

/** Renders the form; `sent` are the fields of the last submitted form. */
async function form({ tenants = [LAB, MILLS], listed, ...props }: Given = {}) {
  let sent: Record<string, unknown> | undefined;
  const list = listed ?? ((id: unknown) => done(JSON.stringify(id).includes('zT') ? [ORDERS] : []));
  const app = signedIn({ tenants, api: { listLedgersByUser: list as never } });
  const action = async ({ request }: { request: Request }) => {
    sent = Object.fromEntries(await request.formData());
    return null;
  };
  await drawPages(
    [
      { path: '/', Component: () => <PlaceForm localName="pantry" {...props} /> },
      { path: '/fp/databases/connect', action, Component: pageCalled('Connecting') },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/',
    app,
  );
  const submit = async (name = 'Connect') => {
    await press(name);
    await screen.findByRole('heading', { name: 'Connecting' });
    return sent;
  };
  return { submit, sent: () => sent };
}

const select = (label: string) => screen.findByLabelText<HTMLSelectElement>(label);
/** Chooses an option by its text. */
async function choose(label: string, text: string) {
  const field = await select(label);
  await act(async () => {
    field.selectedIndex = [...field.options].findIndex((option) => option.text === text);
    fireEvent.change(field);
  });
}
const optionsOf = async (label: string) => [...(await select(label)).options].map(({ text }) => text);
const shownIn = async (label: string) => (await select(label)).selectedOptions[0]?.text;

describe('the choice of a database in the cloud', () => {
  test('offers to create one of the local name, which the user can change', async () => {
    const { submit } = await form();
    expect(await optionsOf('Database')).toEqual(['orders', 'Create pantry']);
    expect(await shownIn('Database')).toBe('Create pantry');
    await enter('Name in the cloud', 'team pantry');
    expect(await shownIn('Database')).toBe('Create team pantry');
    const sent = {
      localName: 'pantry',
      tenant: 'zT',
      ledger: '',
      ledgerName: 'team pantry',
      kind: 'open-key',
    };
    expect(await submit()).toEqual({ ...sent, kind: expect.any(String) });
  });

  test('presets the database that has the local name', async () => {
    const { submit } = await form({ localName: ' orders ' });
    expect(await shownIn('Database')).toBe('orders');
    expect(screen.queryByLabelText('Name in the cloud')).toBeNull();
    expect(screen.queryByRole('group', { name: /^Who can read it/ })).toBeNull();
    expect(await submit()).toEqual({ localName: ' orders ', tenant: 'zT', ledger: 'zOrders' });
  });

  test('follows the local name while it is typed, until the user chooses', async () => {
    await form();
    await select('Database');
    await enter('Local name', 'orders');
    expect(await shownIn('Database')).toBe('orders');
    expect(screen.queryByLabelText('Name in the cloud')).toBeNull();
    await choose('Database', 'Create orders');
    const name = screen.getByLabelText<HTMLInputElement>('Name in the cloud');
    expect(name.value).toBe('orders');
    await enter('Local name', 'other');
    expect([name.value, (await optionsOf('Database')).at(-1)]).toEqual(['other', 'Create other']);
    await enter('Local name', '');
    expect((await optionsOf('Database')).at(-1)).toBe('Create a new database');
  });

  test('presets the place that an endpoint names', async () => {
    const listed = () => done([ORDERS, ledgerCalled('zTwo', 'two')]);
    await form({ place: { tenantId: 'zM', ledgerId: 'zTwo' }, listed });
    expect([await shownIn('Tenant'), await shownIn('Database')]).toEqual(['Mills', 'two']);
  });

  test('ignores a place that the user can’t open', async () => {
    await form({ place: { tenantId: 'zEvil', ledgerId: 'zEvil' } });
    expect([await shownIn('Tenant'), await shownIn('Database')]).toEqual(['Language Lab', 'Create pantry']);
  });

  test('forgets the chosen database when the user chooses another tenant', async () => {
    const { submit } = await form();
    await select('Database');
    await choose('Database', 'orders');
    await choose('Tenant', 'Mills');
    expect(await optionsOf('Database')).toEqual(['Create pantry']);
    expect(await submit()).toMatchObject({ tenant: 'zM', ledger: '', ledgerName: 'pantry' });
  });

  test('marks databases that the user may only read', async () => {
    const users = [{ userId: 'u1', right: 'read' }] as never;
    await form({ listed: () => done([ORDERS, ledgerCalled('zRead', 'news', { users })]) });
    expect(await optionsOf('Database')).toEqual(['orders', 'news (read only)', 'Create pantry']);
  });

  test('lets members connect to existing databases only', async () => {
    const { submit } = await form({ tenants: [memberOf(LAB)] });
    expect([await optionsOf('Database'), await shownIn('Database')]).toEqual([['orders'], 'orders']);
    expect(await submit()).toMatchObject({ ledger: 'zOrders' });
  });

  test('tells members of a tenant without databases to ask an admin, and can’t be submitted', async () => {
    await form({ tenants: [memberOf(LAB)], listed: () => done([]) });
    await screen.findByText(/only its admins can create one\. Ask an admin for access\.$/);
    expect([hasButton('Connect'), screen.queryByLabelText('Database')]).toEqual([false, null]);
  });

  test('says how many databases a limited tenant has, and offers no more at its limit', async () => {
    await form({ tenants: [limitedTo(2)] });
    await screen.findByText(/unique in the tenant\. The tenant has 1 of 2 databases\.$/);
  });

  test('offers only existing databases at the tenant’s limit', async () => {
    await form({ tenants: [limitedTo(1)] });
    expect(await optionsOf('Database')).toEqual(['orders']);
  });

  test('says that it is loading, or why the databases couldn’t be loaded', async () => {
    const answer = waiting<Result<Ledger[]>>();
    await form({ listed: () => answer.promise });
    await select('Tenant');
    expect(hasButton('Connect')).toBe(false);
    await answer.come({ ok: false, error: new FixpointError('FETCH', 'reset') });
    await screen.findByText(/Couldn’t reach the server/);
    expect(hasButton('Connect')).toBe(false);
  });

  test('loads the databases of another tenant when those of the first can’t be loaded', async () => {
    const listed = (id: unknown) =>
      JSON.stringify(id).includes('zT') ? refused(new FixpointError('FETCH')) : done([ORDERS]);
    await form({ listed });
    await screen.findByText(/Couldn’t reach the server/);
    await choose('Tenant', 'Mills');
    expect(await optionsOf('Database')).toEqual(['orders', 'Create pantry']);
  });

  test('leads users without a tenant to the page that creates one', async () => {
    await form({ tenants: [] });
    const link = await screen.findByRole('link', { name: 'Create a tenant' });
    expect(link.getAttribute('href')).toBe('/fp/cloud/tenants/new');
    expect(hasButton('Connect')).toBe(false);
  });

  test('offers the kinds of a new database as one group, and sends the chosen one', async () => {
    const { submit } = await form();
    const kinds = await screen.findByRole('group', {
      name: /^Who can read it \(a later change creates a new database\)/,
    });
    const radios = within(kinds).getAllByRole<HTMLInputElement>('radio');
    expect(radios.filter(({ checked }) => checked)).toHaveLength(1);
    const other = radios.find(({ checked }) => !checked) as HTMLInputElement;
    other.click();
    expect(await submit()).toMatchObject({ kind: other.value });
  });

  test.each(HOSTILE_NAMES.filter((name) => name !== '').map((name) => [name.slice(0, 20), name]))(
    'shows and sends the name %j as it is',
    async (_shown, name) => {
      const { submit } = await form({
        localName: name,
        isFixed: true,
        listed: () => done([ledgerCalled('zHostile', name)]),
        place: { tenantId: 'zT', ledgerId: 'zHostile' },
      });
      expect((await optionsOf('Database'))[0]?.length).toBeLessThanOrEqual(21);
      expect(await submit()).toMatchObject({ localName: name, ledger: 'zHostile' });
    },
  );
});

describe('the two sides of the form', () => {
  const side = (name: string) => within(screen.getByRole('region', { name }));

  test('names both sides, so that it’s clear what is sent where', async () => {
    const name = freshName();
    await freshLocal([{ _id: 'milk' }, { _id: 'rice' }], name);
    await form({ localName: name });
    await select('Database');
    await side('On this device').findByText('2 documents');
    expect(side('On this device').getByLabelText<HTMLInputElement>('Local name').value).toBe(name);
    expect(side(location.host).getByLabelText('Tenant')).toBeDefined();
  });

  test('keeps the name of the database whose page shows the form', async () => {
    const { submit } = await form({ isFixed: true, remoteName: 'team' });
    await select('Database');
    expect(side('On this device').getByText('pantry')).toBeDefined();
    expect(screen.queryByLabelText('Local name')).toBeNull();
    expect(await submit()).toMatchObject({ localName: 'pantry', remoteName: 'team' });
  });
});

describe('a form that was rejected', () => {
  test('reports a missing local name at its field only', async () => {
    await form({ localName: '', error: 'Local name is required' });
    const field = await screen.findByLabelText('Local name');
    expect(field.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getAllByText('Local name is required')).toHaveLength(1);
    expect(screen.queryByText('Error:')).toBeNull();
  });

  test('reports any other problem above the fields', async () => {
    await form({ error: 'Name must be at least 3 characters' });
    expect((await screen.findByRole('alert')).textContent).toContain('Name must be at least 3 characters');
    expect(screen.getByLabelText('Local name').getAttribute('aria-invalid')).not.toBe('true');
  });

  test('asks before it replaces a connection, and agrees only by "Connect anyway"', async () => {
    const { submit } = await form({ shared: '"pantry" already syncs with "team".' });
    expect((await screen.findByRole('alert')).textContent).toMatch(/^"pantry" already syncs with "team"\./);
    await select('Database');
    expect(await submit('Connect anyway')).toMatchObject({ [AGREED]: 'yes', localName: 'pantry' });
  });

  test('doesn’t agree by "Connect"', async () => {
    const { submit } = await form({ shared: '"pantry" already syncs with "team".' });
    await select('Database');
    expect(Object.keys((await submit()) ?? {})).not.toContain(AGREED);
  });
});
