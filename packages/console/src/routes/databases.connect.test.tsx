import { FixpointError } from '@fixpoint/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { callOf, done, locationOf, refused, signedIn, tenantCalled } from '../cloud/app.fixture.ts';
import { SESSION_KEY } from '../cloud/app.ts';
import { knownKind } from '../cloud/ledgers/known-kinds.ts';
import { freshLocal, freshName, withEngine } from '../engine/engine-here.fixture.ts';
import { leaveFor } from '../features/connect/other-servers/hand-over.ts';
import { tokenUntil } from '../local/access-token.fixture.ts';
import { isAgreed } from '../local/agreed-endpoints.ts';
import { confirmConnection } from '../local/confirmed-connection.ts';
import { listConnections, recordConnection } from '../local/connections.ts';
import { openLocal } from '../local/databases.ts';
import { accessTo } from '../local/elsewhere-access.ts';
import { endpointHere } from '../local/endpoint.ts';
import { action, loader } from './databases.connect.tsx';

withEngine();

const ledger = {
  tenantId: 'zT',
  ledgerId: 'zOld',
  name: 'orders',
  maxShares: 5,
  createdAt: '',
  updatedAt: '',
};

function submit(form: Record<string, string>, isRefused = false) {
  const createLedger = vi.fn((_given: object) =>
    isRefused ? refused(new FixpointError('LIMIT_REACHED')) : done({ ...ledger, ledgerId: 'zNew' } as never),
  );
  const app = signedIn({
    tenants: [tenantCalled('zT', 'Language Lab')],
    api: { listLedgersByUser: () => done([ledger] as never), createLedger },
  });
  const call = callOf(app, '/fp/databases/connect', { form: { tenant: 'zT', ledger: '', ...form } });
  return { answer: action(call), createLedger };
}

const visit = async (parameters: URLSearchParams) =>
  loader(callOf(signedIn(), `/fp/databases/connect?${parameters}`));

const failureOf = async (answer: unknown) =>
  ((await answer) as { data: { error?: string; shared?: string; given: string } }).data;

describe('the form that connects a database to the cloud', () => {
  test('creates a ledger, and goes on to the address with the complete endpoint', async () => {
    const localName = freshName();
    const { answer, createLedger } = submit({ localName, ledgerName: localName, kind: 'sealed' });
    const { searchParams } = new URL(locationOf(await answer) ?? '', location.origin);
    const endpoint = endpointHere({ tenantId: 'zT', ledgerId: 'zNew' });
    expect(Object.fromEntries(searchParams)).toEqual({ localName, remoteName: localName, endpoint });
    expect(createLedger).toHaveBeenCalledExactlyOnceWith({ tenantId: 'zT', name: localName, kind: 'sealed' });
    expect(knownKind({ ledgerId: 'zNew' })).toBe('sealed');
    expect(isAgreed(localName, endpoint, 'ada@example.com')).toBe(false);
    expect(locationOf(await visit(searchParams))).toBe(`/fp/databases/${localName}`);
    expect(isAgreed(localName, endpoint, 'ada@example.com')).toBe(true);
  });

  test('uses an existing ledger without creating one', async () => {
    const localName = freshName();
    const { answer, createLedger } = submit({ localName, ledger: 'zOld' });
    const { searchParams } = new URL(locationOf(await answer) ?? '', location.origin);
    expect(searchParams.get('remoteName')).toBe('orders');
    expect(createLedger).not.toHaveBeenCalled();
  });

  test.each([
    [{ localName: '' }, 'Local name is required'],
    [{ localName: 'pantry', ledgerName: 'no' }, 'Name must be at least 3 characters'],
    [{ localName: 'fp_sync', ledgerName: 'pantry' }, 'Fixpoint reserves this name. Choose another one.'],
  ])('reports %j, and creates nothing', async (form, error) => {
    const { answer, createLedger } = submit(form);
    expect((await failureOf(answer)).error).toBe(error);
    expect(createLedger).not.toHaveBeenCalled();
  });

  test('shows why the server creates no ledger, and agrees to nothing', async () => {
    const localName = freshName();
    const { answer } = submit({ localName, ledgerName: localName }, true);
    const { error, given } = await failureOf(answer);
    expect(error).toContain('Delete something that counts towards this limit');
    expect(new URLSearchParams(given).get('localName')).toBe(localName);
  });

  test('asks before it replaces a connection, and creates no ledger until then', async () => {
    const localName = freshName();
    await freshLocal([], localName);
    const endpoint = endpointHere({ tenantId: 'zT', ledgerId: 'zOld' });
    const name = { remoteName: localName, sanitizedRemoteName: localName, localName };
    await recordConnection({ ...name, endpoint, firstConnect: false });
    const { answer, createLedger } = submit({ localName, ledgerName: localName });
    expect((await failureOf(answer)).shared).toContain(`"${localName}" already syncs with "${localName}"`);
    expect(createLedger).not.toHaveBeenCalled();
    const { answer: agreed } = submit({ localName, ledgerName: localName, share: 'yes' });
    const { searchParams } = new URL(locationOf(await agreed) ?? '', location.origin);
    expect(locationOf(await visit(searchParams))).toBe(`/fp/databases/${localName}`);
  });
});

describe('a link to the form', () => {
  const endpointOf = (ledgerId: string) => endpointHere({ tenantId: 'zT', ledgerId });

  test('replaces no connection without a question, and agrees to nothing', async () => {
    const localName = freshName();
    await freshLocal([], localName);
    const known = { remoteName: localName, sanitizedRemoteName: localName, localName };
    await recordConnection({ ...known, endpoint: endpointOf('zOld'), firstConnect: false });
    const link = { localName, remoteName: 'Team (backup)', endpoint: endpointOf('zEvil'), share: 'yes' };
    expect((await failureOf(visit(new URLSearchParams(link)))).shared).toContain('already syncs with');
    const found = (await listConnections()).filter((one) => one.localName === localName);
    expect(found.map(({ endpoint }) => endpoint)).toEqual([endpointOf('zOld')]);
  });

  test('records another name of a connection without a new first sync', async () => {
    const localName = freshName();
    await freshLocal([], localName);
    const known = { remoteName: localName, sanitizedRemoteName: localName, localName };
    await recordConnection({ ...known, endpoint: endpointOf('zOld'), firstConnect: false });
    await visit(
      new URLSearchParams({ localName, remoteName: `${localName}x`, endpoint: endpointOf('zOld') }),
    );
    const found = (await listConnections()).filter((one) => one.localName === localName);
    expect(found.map(({ firstConnect }) => firstConnect)).toEqual([false, false]);
  });
});

describe('an address that can’t be connected', () => {
  const statusOf = async (answer: unknown) =>
    ((await answer) as { init: { status: number } | null }).init?.status;
  const recorded = async (localName: string) =>
    (await listConnections()).filter((one) => one.localName === localName);

  test.each([
    [{}, 'Local name is required'],
    [{ localName: '   ' }, 'Local name is required'],
    [{ localName: 'fp_sync' }, 'Fixpoint reserves this name. Choose another one.'],
    [{ localName: 'pantry', endpoint: 'javascript:alert(1)' }, /isn’t the address of a server/],
    [{ localName: 'pantry', endpoint: 'fpcloud://h?token=secret' }, /contains a password, a token/],
    [{ localName: 'pantry', endpoint: 'fpcloud://h?tenant=zT' }, /both a tenant and a ledger/],
  ])('is reported, and records nothing: %j', async (parameters, error) => {
    const before = await listConnections();
    const answer = visit(new URLSearchParams(parameters as Record<string, string>));
    expect((await failureOf(answer)).error).toMatch(error);
    expect([await statusOf(answer), await listConnections()]).toEqual([400, before]);
  });

  test('is reported when the database can’t be created, and agrees to nothing', async () => {
    const localName = freshName();
    const endpoint = endpointHere({ tenantId: 'zT', ledgerId: 'zOld' });
    const asked = { localName, remoteName: localName, endpoint };
    confirmConnection(asked, { email: 'ada@example.com' });
    vi.spyOn(openLocal(localName), 'ready').mockRejectedValue(new Error('the disk is full'));
    const answer = visit(new URLSearchParams(asked));
    expect([(await failureOf(answer)).error, await statusOf(answer)]).toEqual(['the disk is full', 400]);
    expect([await recorded(localName), isAgreed(localName, endpoint, 'ada@example.com')]).toEqual([
      [],
      false,
    ]);
  });

  test('is reported when the connection can’t be recorded, and agrees to nothing', async () => {
    const localName = freshName();
    const asked = {
      localName,
      remoteName: localName,
      endpoint: endpointHere({ tenantId: 'zT', ledgerId: 'zOld' }),
    };
    confirmConnection(asked, { email: 'ada@example.com' });
    const put = vi.spyOn(openLocal('fp_sync'), 'put').mockRejectedValue(new Error('the disk is full'));
    expect((await failureOf(visit(new URLSearchParams(asked)))).error).toBe('the disk is full');
    expect(isAgreed(localName, asked.endpoint, 'ada@example.com')).toBe(false);
    put.mockRestore();
    expect(locationOf(await visit(new URLSearchParams(asked)))).toBe(`/fp/databases/${localName}`);
    // The confirmation was used up by the first try.
    expect(isAgreed(localName, asked.endpoint, 'ada@example.com')).toBe(false);
  });

  test('asks with the status of a conflict before a name is shared', async () => {
    const [localName, other] = [freshName(), freshName()];
    await freshLocal([], other);
    const answer = visit(new URLSearchParams({ localName, remoteName: other }));
    expect((await failureOf(answer)).shared).toContain(`opens the local database "${other}"`);
    expect([await statusOf(answer), await recorded(localName)]).toEqual([409, []]);
  });
});

describe('the return from another server', () => {
  const SERVER = 'https://other.example';
  const ENDPOINT = 'fpcloud://other.example/?tenant=zT&ledger=zL';
  const ADA = 'ada@example.com';

  afterEach(() => {
    localStorage.clear();
    sessionStorage.clear();
  });

  /** Leaves for the other server as Ada, and returns the address to which it sends her back. */
  function returning(localName: string): string {
    let left = '';
    const connection = { localName, remoteName: 'team', endpoint: SERVER };
    leaveFor(SERVER, connection, { isSealed: false, user: ADA, isAgain: false }, (address) => {
      left = address;
    });
    const state = new URL(left).searchParams.get('state') ?? '';
    const fpToken = tokenUntil(Date.now() + 3_600_000);
    return `/fp/databases/connect?${new URLSearchParams({ fpToken, state })}`;
  }

  test('leads to the address of the connection, which has no token', async () => {
    const localName = freshName();
    const answer = await loader(callOf(signedIn(), returning(localName)));
    const { searchParams } = new URL(locationOf(answer) ?? '', location.origin);
    expect(Object.fromEntries(searchParams)).toEqual({ localName, remoteName: 'team', endpoint: ENDPOINT });
    expect(accessTo(localName, ENDPOINT, ADA)).toBeDefined();
  });

  test('counts for the last known user while this server is unreachable', async () => {
    const localName = freshName();
    const app = signedIn();
    const user = () => Promise.reject(new FixpointError('FETCH'));
    localStorage.setItem('lastKnown', JSON.stringify({ [JSON.stringify(SESSION_KEY)]: { email: ADA } }));
    const offline = { ...app, session: { ...app.session, user } };
    expect(locationOf(await loader(callOf(offline, returning(localName))))).toContain('endpoint=');
    expect(accessTo(localName, ENDPOINT, ADA)).toBeDefined();
  });

  test('says once that a token isn’t used, at an address without it', async () => {
    const answer = await loader(callOf(signedIn(), '/fp/databases/connect?fpToken=x&state=guessed'));
    expect(locationOf(answer)).toBe('/fp/databases/connect');
    const refusal = { data: { refused: expect.stringMatching(/^This page got a token/) } };
    expect(await visit(new URLSearchParams())).toMatchObject(refusal);
    expect(await visit(new URLSearchParams())).not.toMatchObject(refusal);
  });
});
