import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { screen, waitFor, within } from '@testing-library/react';
import { Outlet } from 'react-router';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type AppGiven, appWith, done, signedIn, tenantCalled } from '../cloud/app.fixture.ts';
import { attachLocal, detachAll } from '../cloud/ledgers/attached-databases.ts';
import { rememberKind } from '../cloud/ledgers/known-kinds.ts';
import { withEngine } from '../engine/engine-here.fixture.ts';
import { localWith } from '../features/databases/local-database.fixture.ts';
import { attachedWith } from '../features/keys/attached.fixture.ts';
import { tokenUntil } from '../local/access-token.fixture.ts';
import { agreeTo } from '../local/agreed-endpoints.ts';
import { destroyLocal } from '../local/databases.ts';
import { keepAccess } from '../local/elsewhere-access.ts';
import { endpointHere } from '../local/endpoint.ts';
import { drawPages, pageCalled, withPages } from '../ui/pages.fixture.tsx';
import { Component as Sharing } from './databases.$name.sharing.tsx';

withPages();
withEngine();
/** Names of the databases to delete after a test. */
const opened: string[] = [];

afterEach(async () => {
  await detachAll();
  localStorage.clear();
  vi.restoreAllMocks();
  // Other files share the databases.
  await Promise.all(opened.splice(0).map((name) => destroyLocal(name)));
});

const PLACE = { tenantId: 'zT', ledgerId: 'zSharing' };
const ENDPOINT = endpointHere(PLACE);
const GRACE = {
  userId: 'u2',
  role: 'member',
  right: 'read',
  name: 'Grace',
  email: 'grace@example.com',
  createdAt: '',
  updatedAt: '',
};
const LAB = {
  ...tenantCalled('zT', 'Language Lab'),
  members: [{ userId: 'u1', role: 'admin' as const, email: 'ada@example.com', name: 'Ada' }],
};

interface Given {
  readonly name?: string;
  readonly endpoint?: string;
  readonly isAgreed?: boolean;
  /** A token of another server. */
  readonly access?: string;
  readonly role?: 'admin' | 'member';
  readonly isSignedIn?: boolean;
  readonly kind?: 'open-key' | 'sealed';
  readonly failure?: FixpointError;
}

/** Renders the page of a database; with an endpoint, the database is connected. */
async function page(given: Given = {}) {
  const {
    name,
    endpoint,
    isAgreed = true,
    role = 'admin',
    isSignedIn = true,
    kind = 'open-key',
    access,
  } = given;
  if (name !== undefined) opened.push(name);
  const local = await localWith({
    ...(name !== undefined && { name }),
    ...(endpoint !== undefined && { connection: { remoteName: 'languages', endpoint } }),
  });
  if (endpoint !== undefined && access !== undefined)
    keepAccess(local.localName, { endpoint, token: access, user: 'ada@example.com', isSealed: false });
  if (endpoint !== undefined && isAgreed) agreeTo(local.localName, endpoint, 'ada@example.com');
  const listShares = vi.fn(() =>
    done({ ledgerId: 'zSharing', maxShares: 5, shares: [GRACE], tickets: [] } as never),
  );
  const api = { listShares } as unknown as Partial<AdminClient>;
  const app = isSignedIn
    ? signedIn({ tenants: [{ ...LAB, role }], api: api as NonNullable<AppGiven['api']> })
    : appWith({});
  if (endpoint === ENDPOINT && isAgreed && isSignedIn) {
    const { attached } = attachedWith({
      kind: () => kind,
      detach: async () => undefined,
      devices: { list: async () => [], code: async () => 'OWN-CODE' },
    });
    const attach = vi.spyOn(local.database, 'attach');
    if (given.failure === undefined) attach.mockResolvedValue(attached);
    else attach.mockRejectedValue(given.failure);
    rememberKind('zSharing', kind);
    attachLocal(app.api, local.database, PLACE);
  }
  await drawPages(
    [
      {
        path: '/',
        Component: () => <Outlet context={local} />,
        children: [{ index: true, Component: Sharing }],
      },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/',
    app,
  );
  return { local, listShares };
}

const title = (name: string) => screen.findByRole('heading', { name });
const link = (name: string) => screen.getByRole('link', { name }).getAttribute('href');

describe('the sharing of a database that syncs with nothing', () => {
  test.each([undefined, 'constructor', '__proto__', 'sharing'])(
    '[S10] says that nobody else has access, and offers to connect it (name: %s)',
    async (name) => {
      const { local } = await page(name === undefined ? {} : { name });
      await title('Only in this browser');
      expect(screen.getByText('Control who has access to your database.')).toBeDefined();
      expect(screen.getByRole('button', { name: 'Connect' })).toBeDefined();
      expect(local.database.name).toBeDefined();
    },
  );

  test('says that nobody else has access before the user allowed it at another server', async () => {
    await page({ endpoint: 'fpcloud://elsewhere.example' });
    await title('Not connected yet');
    expect(screen.getByText(/^Nothing is sent before you confirm the connection/)).toBeDefined();
    expect(screen.getByRole('link', { name: 'Review the connection' })).toBeDefined();
  });

  test('leads to another server, which alone can show who has access', async () => {
    const endpoint = 'fpcloud://elsewhere.example/x/fp?tenant=zT&ledger=z%2FL';
    await page({ endpoint, access: tokenUntil(Date.now() + 3_600_000) });
    await title('Shared at elsewhere.example/x');
    const link = screen.getByRole<HTMLAnchorElement>('link', { name: 'Sharing at elsewhere.example/x' });
    expect(link.href).toBe('https://elsewhere.example/x/fp/cloud/tenants/zT/ledgers/z%2FL/sharing');
  });

  test('doesn’t deny that others have access when the access of this user has ended', async () => {
    const endpoint = 'fpcloud://elsewhere.example/?tenant=zT&ledger=zL';
    const { local } = await page({ endpoint, access: tokenUntil(Date.now()) });
    await title('Access ended');
    expect(screen.getByText(/Everybody with access to it there has the documents/)).toBeDefined();
    expect(link('Review the connection')).toBe(local.path);
  });

  test('says that an endpoint can’t be read', async () => {
    await page({ endpoint: 'nonsense' });
    await title('Not connected');
    expect(screen.getByText(/"nonsense" isn’t the address of a server/)).toBeDefined();
  });

  test('asks signed-out users to sign in', async () => {
    await page({ endpoint: ENDPOINT, isSignedIn: false });
    await title('Sign in to see who has access');
    expect(link('Sign in')).toBe('/login?redirect_url=%2F');
  });

  test('links to a connection that the user hasn’t confirmed', async () => {
    const { local, listShares } = await page({ endpoint: ENDPOINT, isAgreed: false });
    await title('Not connected yet');
    expect(link('Review the connection')).toBe(local.path);
    expect(listShares).not.toHaveBeenCalled();
  });
});

describe('the sharing of a connected database', () => {
  test('shows the people with access to the ledger, and links to its own page', async () => {
    await page({ endpoint: ENDPOINT });
    const people = within(await screen.findByRole('list', { name: 'Shared with' }));
    expect(people.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/^Gracemembergrace@example\.com/),
    ]);
    const admins = within(screen.getByRole('list', { name: 'Admins of the tenant' }));
    expect(admins.getByRole('listitem').textContent).toMatch(/^AdaadminYouada@example\.com/);
    expect(screen.getByText(/^This database syncs with/).textContent).toBe(
      'This database syncs with languages in Language Lab, so everybody with access to it gets these documents.',
    );
    expect(link('Open in the cloud')).toBe('/fp/cloud/tenants/zT/ledgers/zSharing/sharing');
    await screen.findByText('The server can read this database');
    expect(screen.queryByRole('heading', { name: 'Trusted devices' })).toBeNull();
  });

  test('shows the trusted devices of an end-to-end encrypted ledger', async () => {
    await page({ endpoint: ENDPOINT, kind: 'sealed' });
    await title('Trusted devices');
    await screen.findByText('End-to-end encrypted');
  });

  test('requests no shares for members who aren’t admins', async () => {
    const { listShares } = await page({ endpoint: ENDPOINT, role: 'member' });
    await title('Admins manage access');
    expect(listShares).not.toHaveBeenCalled();
  });

  test('says that the user has no access to the tenant any more', async () => {
    const gone = endpointHere({ tenantId: 'zGone', ledgerId: 'zSharing' });
    await page({ endpoint: gone });
    await title('No access');
  });

  test('shows who has access while the server can’t be reached for the sync', async () => {
    await page({ endpoint: ENDPOINT, failure: new FixpointError('FETCH', 'reset') });
    await screen.findByRole('list', { name: 'Shared with' });
    await waitFor(() => expect(screen.getByText('Not known yet')).toBeDefined());
  });
});
