import { FixpointError } from '@fixpoint/protocol';
import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import type { SyncStatus } from 'fixpoint';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ada, appWith, done, refused, signedIn, tenantCalled } from '../../cloud/app.fixture.ts';
import type { SessionUser } from '../../cloud/identity/session-port.ts';
import { attachedDatabases, detachAll } from '../../cloud/ledgers/attached-databases.ts';
import { press } from '../../cloud/part.fixture.tsx';
import { freshLocal, freshName, withEngine } from '../../engine/engine-here.fixture.ts';
import { tokenUntil } from '../../local/access-token.fixture.ts';
import { agreeTo, forgetAgreed, HAND_OVER } from '../../local/agreed-endpoints.ts';
import { type Connection, connectionOf, listConnections, recordConnection } from '../../local/connections.ts';
import { keepAccess } from '../../local/elsewhere-access.ts';
import { endpointHere } from '../../local/endpoint.ts';
import { drawPages, pageCalled, waiting, withPages } from '../../ui/pages.fixture.tsx';
import { attachedWith } from '../keys/attached.fixture.ts';
import { ConnectionPart } from './connection-part.tsx';

withPages();
withEngine();
afterEach(async () => {
  await detachAll();
  localStorage.clear();
  sessionStorage.clear();
});

const PLACE = { tenantId: 'zT', ledgerId: 'zL' };
const OTHER = 'fpcloud://other.example/?tenant=zT&ledger=zL';
const ledger = { ...PLACE, name: 'pantry', maxShares: 5, users: [], createdAt: '', updatedAt: '' };

interface Given {
  readonly endpoint?: string;
  readonly isAgreed?: boolean;
  /** A token of another server. */
  readonly access?: string;
  readonly isSignedIn?: boolean;
  /** Answers who is signed in; Ada, at once, if undefined. */
  readonly user?: Promise<SessionUser | undefined>;
  readonly first?: Partial<SyncStatus>;
  readonly firstConnect?: boolean;
  readonly ledgers?: readonly unknown[];
  readonly failure?: FixpointError;
}

/** Renders the part of a recorded connection, whose database attaches to a stub. */
async function part(given: Given = {}) {
  const { endpoint = endpointHere(PLACE), isAgreed = true, first, ledgers = [ledger], failure } = given;
  const { firstConnect = true, access, isSignedIn = true, user } = given;
  const localName = freshName();
  const connection: Connection = {
    localName,
    remoteName: 'pantry',
    sanitizedRemoteName: 'pantry',
    endpoint,
    firstConnect,
  };
  const database = await freshLocal([{ _id: 'milk' }], localName);
  await recordConnection(connection);
  if (isAgreed) agreeTo(localName, endpoint, 'ada@example.com');
  if (access !== undefined)
    keepAccess(localName, {
      endpoint,
      token: access,
      user: isSignedIn ? 'ada@example.com' : null,
      isSealed: false,
    });
  const detached = vi.fn(async () => undefined);
  const { attached, become } = attachedWith({
    first: { state: 'catching-up', toSend: 4, ...first },
    detach: detached,
    kind: () => 'open-key',
  });
  const attach = vi.spyOn(database, 'attach').mockResolvedValue(attached);
  const app = (isSignedIn ? signedIn : appWith)({
    tenants: [tenantCalled('zT', 'Language Lab')],
    ...(user !== undefined && { session: { user: () => user } }),
    api: {
      listLedgersByUser: () => (failure === undefined ? done([...ledgers] as never) : refused(failure)),
    },
  });
  const Page = () => (
    <ConnectionPart {...{ database, localName, connection }} localPath="/local" docsPath="/docs" />
  );
  const pages = await drawPages(
    [
      { path: '/', Component: Page },
      { path: '*', Component: pageCalled('Elsewhere') },
    ],
    '/',
    app,
  );
  const recorded = async () => connectionOf(await listConnections(), localName);
  return { ...pages, localName, attach, become, detached, recorded };
}

const title = (name: string | RegExp) => screen.findByRole('heading', { name });

describe('the connection of a local database', () => {
  test('shows the progress of the first sync, and is recorded as connected once it is done', async () => {
    const { localName, become, recorded } = await part();
    await title(`${localName} is joining Language Lab`);
    await become({ toSend: 1 });
    expect(screen.getByRole('progressbar', { name: 'First sync' }).getAttribute('value')).toBe('75');
    expect(screen.getByText('3 of 4 parts')).toBeDefined();
    expect((await recorded())?.firstConnect).toBe(true);
    await become({ state: 'in-sync', toSend: 0 });
    await title(`${localName} is in sync with the cloud`);
    await screen.findByText('1 document');
    await waitFor(async () => expect((await recorded())?.firstConnect).toBe(false));
  });

  test('sends nothing after a plain link, until the user agrees', async () => {
    const called = { ...ledger, name: 'real name' };
    const { localName, attach } = await part({ isAgreed: false, ledgers: [called] });
    // The link called the ledger "pantry".
    await title(`Sync ${localName} with real name in Language Lab?`);
    expect(attach).not.toHaveBeenCalled();
    await press('Connect');
    await title(`${localName} is joining Language Lab`);
    expect(attach).toHaveBeenCalledTimes(1);
  });

  test('offers no ledger that the user can’t open', async () => {
    const { localName, attach } = await part({ isAgreed: false, ledgers: [] });
    await title(`${localName} doesn’t sync`);
    expect((await screen.findByRole('alert')).textContent).toMatch(/that you can’t open/);
    expect([screen.queryByRole('button', { name: 'Connect' }), attach.mock.calls.length]).toEqual([null, 0]);
  });

  test('says what to do when the user has no access to the ledger', async () => {
    const { localName, attach } = await part({ ledgers: [] });
    await title(`Refused: ${localName} doesn’t sync with pantry`);
    expect(screen.getByRole('alert').textContent).toContain('Ask an admin of the tenant for access');
    expect(attach).not.toHaveBeenCalled();
  });

  test('says that the server can’t be reached, and tries again when the page is shown again', async () => {
    const given = { failure: new FixpointError('FETCH') };
    const { localName } = await part(given);
    await title(`Offline: ${localName} doesn’t sync with pantry`);
    const before = attachedDatabases().get(localName)?.attached;
    await act(async () => void fireEvent(document, new Event('visibilitychange')));
    expect(attachedDatabases().get(localName)?.attached).not.toBe(before);
  });

  test('takes no space once nothing is left to do', async () => {
    const { localName, become } = await part({ firstConnect: false, first: { state: 'in-sync' } });
    expect(screen.queryByText(`${localName} → pantry in Language Lab`)).toBeNull();
    expect(screen.queryByRole('button')).toBeNull();
    await become({ state: 'refused', error: new FixpointError('LIMIT_REACHED') });
    await title(`Refused: ${localName} doesn’t sync with pantry`);
  });

  test('shows the reason when the gateway refuses', async () => {
    const { localName } = await part({
      first: { state: 'refused', error: new FixpointError('LIMIT_REACHED') },
    });
    await title(`Refused: ${localName} doesn’t sync with pantry`);
  });

  test('is never shown as connected for an endpoint that can’t be read', async () => {
    const { attach } = await part({ endpoint: 'nonsense' });
    expect((await screen.findByRole('alert')).textContent).toMatch(/isn’t the address of a server/);
    expect(attach).not.toHaveBeenCalled();
  });

  test('names another server, and sends nothing until the user allowed it there', async () => {
    const { attach, localName } = await part({ endpoint: 'fpcloud://other.example/?tenant=zT&ledger=zL' });
    await title(`Connect ${localName} at other.example?`);
    expect(screen.getByText(/^You sign in at other\.example and choose a database there\./)).toBeDefined();
    expect(attach).not.toHaveBeenCalled();
  });

  test('leaves for another server once the user is known, who may be signed in here', async () => {
    const user = waiting<SessionUser | undefined>();
    const assign = vi.fn();
    vi.stubGlobal('location', { ...location, assign });
    await part({ endpoint: 'fpcloud://other.example', user: user.promise });
    await press('Continue at other.example');
    expect([assign.mock.calls.length, sessionStorage.length]).toEqual([0, 0]);
    await user.come(ada);
    await waitFor(() => expect(assign).toHaveBeenCalledTimes(1));
    expect(JSON.parse(sessionStorage.getItem(HAND_OVER) ?? '{}')).toMatchObject({ user: ada.email });
  });

  test('offers no way to a server that the browser would block', async () => {
    vi.stubGlobal('location', { host: 'cloud.example', protocol: 'https:' });
    const { localName } = await part({ endpoint: 'http://other.example' });
    await title(`${localName} doesn’t sync`);
    expect(screen.getByRole('alert').textContent).toMatch(/^This page was loaded over https/);
    expect(screen.queryByRole('button', { name: /^Continue/ })).toBeNull();
    expect(screen.getByRole('button', { name: 'Change' })).toBeDefined();
  });

  test.each([true, false])(
    'attaches to another server with its token (signed in here: %s)',
    async (isSignedIn) => {
      const access = tokenUntil(Date.now() + 3_600_000);
      const { attach, localName } = await part({ endpoint: OTHER, access, isSignedIn });
      await waitFor(() => expect(attach).toHaveBeenCalled());
      const { base, tenant, ledger: id, token } = attach.mock.calls[0]?.[0].options?.() ?? {};
      expect([base, tenant, id]).toEqual(['https://other.example', 'zT', 'zL']);
      const next = async () => (typeof token === 'function' ? token() : token);
      expect(await next()).toBe(access);
      forgetAgreed(localName);
      await expect(next()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    },
  );

  test.each(['NOT_SIGNED_IN', 'NO_TOKEN'] as const)(
    'asks to renew access when the other server answers %s, whatever time it is',
    async (code) => {
      const access = tokenUntil(Date.now() + 3_600_000);
      const { localName, become } = await part({ endpoint: OTHER, access, firstConnect: false });
      await become({ state: 'refused', error: new FixpointError('LIMIT_REACHED') });
      await title(`Refused: ${localName} doesn’t sync with pantry`);
      await become({ state: 'refused', error: new FixpointError(code) });
      await title(`The access of ${localName} has ended`);
      await become({ state: 'in-sync' });
      expect(screen.queryByRole('button', { name: 'Renew at other.example' })).toBeNull();
    },
  );

  test('asks to renew access that has ended, counts what waits, and sends no token', async () => {
    const { attach, localName, become } = await part({
      endpoint: OTHER,
      access: tokenUntil(Date.now() + 60_000),
      first: { toSend: 3 },
    });
    await title(`The access of ${localName} has ended`);
    expect(screen.getByRole('button', { name: 'Renew at other.example' })).toBeDefined();
    expect(screen.getByRole('alert').textContent).toContain('kept on this device (3 to send).');
    await become({ state: 'refused', toSend: 1234, error: new FixpointError('NOT_SIGNED_IN') });
    expect(screen.getByRole('alert').textContent).toContain('(1,234 to send)');
    const { token } = attach.mock.calls[0]?.[0].options?.() ?? {};
    const next = async () => (typeof token === 'function' ? token() : token);
    await expect(next()).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('asks for a ledger if the endpoint has none', async () => {
    const { localName } = await part({ endpoint: '', ledgers: [] });
    await title(`Connect ${localName} to the cloud`);
    await screen.findByRole('option', { name: `Create ${localName}` });
    expect(screen.getByLabelText<HTMLInputElement>('Name in the cloud').value).toBe(localName);
  });

  test('is forgotten when the user disconnects, and the database is detached and stays', async () => {
    const { localName, detached, recorded, path } = await part();
    await title(`${localName} is joining Language Lab`);
    await press('Stop and disconnect');
    expect(detached).not.toHaveBeenCalled();
    await press('Disconnect');
    await screen.findByText(`${localName} disconnected. Its documents stay here, and in pantry.`);
    expect([path(), await recorded(), attachedDatabases().size]).toEqual(['/local', undefined, 0]);
    expect(detached).toHaveBeenCalledTimes(1);
  });
});
