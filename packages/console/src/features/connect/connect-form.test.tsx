import { FixpointError } from '@fixpoint/protocol';
import { screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { appWith, done, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import type { App } from '../../cloud/app.ts';
import { hasButton, press } from '../../cloud/part.fixture.tsx';
import { withEngine } from '../../engine/engine-here.fixture.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { drawPages, pageCalled, withPages } from '../../ui/pages.fixture.tsx';
import { ConnectForm } from './connect-form.tsx';

withPages();
withEngine();
beforeEach(() => localStorage.clear());
afterEach(() => {
  delete document.documentElement.dataset['mounted'];
});

const ledger = { tenantId: 'zT', ledgerId: 'zL', name: 'orders', maxShares: 5, createdAt: '', updatedAt: '' };
const ada = () =>
  signedIn({
    tenants: [tenantCalled('zT', 'Language Lab')],
    api: { listLedgersByUser: () => done([ledger] as never) },
  });
const nobody = () => appWith({});

interface Given {
  readonly error?: string;
  /** State that another page of the console passes on. */
  readonly state?: unknown;
}

/** Renders the form for the parameters of an address. */
async function form(parts: App, address = '', { error, state }: Given = {}) {
  const given = new URLSearchParams(address);
  const Page = () => <ConnectForm given={given} error={error} shared={undefined} />;
  const pages = await drawPages(
    [
      { path: '/', Component: pageCalled('Start') },
      { path: '/connect', Component: Page },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/',
    parts,
  );
  await pages.router.navigate(`/connect${address === '' ? '' : `?${address}`}`, { state });
  const title = (await screen.findByRole('heading', { name: /^Connect/ })).textContent;
  return { ...pages, title };
}

const value = (label: string) => screen.getByLabelText<HTMLInputElement>(label).value;
const isByAddress = () => screen.queryByLabelText('Endpoint') !== null;

describe('the form that connects a database', () => {
  test('lets signed-in users choose a database of this server', async () => {
    await form(ada());
    await screen.findByRole('option', { name: 'orders' });
    expect([isByAddress(), screen.queryByRole('link', { name: 'Sign in' })]).toEqual([false, null]);
  });

  test('asks other users for an address, and says what signing in changes', async () => {
    await form(nobody(), 'localName=pantry');
    const link = await screen.findByRole('link', { name: 'Sign in' });
    const back = encodeURIComponent('/connect?localName=pantry');
    expect(link.getAttribute('href')).toBe(`/login?redirect_url=${back}`);
    expect([isByAddress(), value('Local name')]).toEqual([true, 'pantry']);
    expect(hasButton('Choose a database')).toBe(false);
  });

  test('offers no sign-in under an app’s dev server, which has no cloud', async () => {
    document.documentElement.dataset['mounted'] = '';
    await form(nobody());
    await screen.findByText(/This console is part of an app’s dev server, which has no cloud/);
    expect([isByAddress(), screen.queryByRole('link', { name: 'Sign in' })]).toEqual([true, null]);
  });

  test('shows that it loads until it is known who is signed in', async () => {
    await form(appWith({ session: { user: () => new Promise(() => undefined) } }));
    expect(screen.getByRole('status').textContent).toContain('Loading...');
    expect([isByAddress(), screen.queryByLabelText('Tenant')]).toEqual([false, null]);
  });

  test('asks for an address when nobody is known and the server is unreachable', async () => {
    const session = { user: () => Promise.reject(new FixpointError('FETCH')) };
    await form(appWith({ session }), 'localName=pantry');
    await screen.findByRole('link', { name: 'Sign in' });
    expect(value('Local name')).toBe('pantry');
  });

  test('switches between this server and others, and back', async () => {
    await form(ada(), 'localName=pantry');
    await press('Use another server');
    expect([isByAddress(), value('Local name')]).toEqual([true, 'pantry']);
    expect(screen.queryByLabelText('Tenant')).toBeNull();
    await press('Choose a database');
    await screen.findByLabelText('Tenant');
    expect(isByAddress()).toBe(false);
  });

  test('shows the address of another server as it was given', async () => {
    await form(ada(), 'localName=pantry&remoteName=team&endpoint=fpcloud://away.example');
    await screen.findByRole('button', { name: 'Choose a database' });
    expect(['Local name', 'Remote name', 'Endpoint'].map(value)).toEqual([
      'pantry',
      'team',
      'fpcloud://away.example',
    ]);
  });

  test('chooses the database that an address of this server names', async () => {
    const endpoint = endpointHere({ tenantId: 'zT', ledgerId: 'zL' });
    await form(ada(), `${new URLSearchParams({ localName: 'pantry', endpoint })}`);
    await screen.findByRole('option', { name: 'orders' });
    expect(screen.getByLabelText<HTMLSelectElement>('Database').value).toBe('zL');
  });

  test('takes the name of the database from the page that links here', async () => {
    const { title } = await form(ada(), '', { state: { localName: 'pantry' } });
    expect(title).toBe('Connect pantry');
    await screen.findByLabelText('Local name');
    expect(value('Local name')).toBe('pantry');
  });

  test('prefers the name in the address, which the user has submitted', async () => {
    const { title } = await form(ada(), 'localName=typed', { state: { localName: 'pantry' } });
    expect(title).toBe('Connect typed');
  });

  test.each([null, 'pantry', { localName: 7 }, { localName: { toString: 1 } }, { name: 'pantry' }])(
    'ignores a state of the page that contains no name: %j',
    async (state) => {
      expect((await form(ada(), '', { state })).title).toBe('Connect');
    },
  );

  test.each([
    ['signed-in users', ada],
    ['other users', nobody],
  ])('shows an error to %s', async (_who, parts) => {
    await form(parts(), 'localName=pantry', { error: 'the storage is full' });
    expect((await screen.findByRole('alert')).textContent).toContain('the storage is full');
  });

  test('leads back by "Cancel"', async () => {
    const { path } = await form(ada(), 'localName=pantry');
    await screen.findByLabelText('Tenant');
    await press('Cancel');
    expect(path()).toBe('/');
  });
});
