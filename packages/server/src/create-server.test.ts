import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createServer } from './create-server.ts';

const TOKEN = 'fp_secret';
const AUTH = { type: 'api-token', token: TOKEN };
const LEDGER = {
  ledgerId: 'zLedger',
  tenantId: 'zTenant',
  ownerId: 'zAda',
  name: 'notes',
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
  ...{ status: 'active', users: [], mayShare: true, maxShares: 5 },
};

/** A cloud that answers each request with one of the given bodies, over HTTP. */
async function cloudWith(...answers: readonly { readonly status?: number; readonly body: unknown }[]) {
  const asked: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
  const left = [...answers];
  const server = createHttpServer((request, response) => {
    let text = '';
    request.on('data', (part) => (text += String(part)));
    request.on('end', () => {
      asked.push({ method: request.method ?? '', path: request.url ?? '', body: JSON.parse(text) });
      const { status = 200, body = '' } = left.shift() ?? {};
      const json = typeof body === 'string' ? body : JSON.stringify(body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(json);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cloud = createServer({ base: url, tenant: 'zTenant', token: TOKEN });
  return { url, asked, cloud };
}

const refusal = (status: number, code: string) => ({
  status,
  body: { type: 'error', code, message: `refused: ${code}`, error: 'x' },
});

describe('the options of the client for back ends', () => {
  const options = { base: 'https://cloud.example', tenant: 'zTenant', token: TOKEN };
  test.each([
    ['an empty address', { base: '' }, /base/],
    ['an address without a scheme', { base: 'cloud.example' }, /base/],
    ['a file', { base: 'file:///etc/passwd' }, /base/],
    ['a script', { base: 'javascript:alert(1)' }, /base/],
    ['a websocket', { base: 'wss://cloud.example' }, /base/],
    ['no tenant', { tenant: undefined }, /tenant/],
    ['an empty tenant', { tenant: '' }, /tenant/],
    ['no token', { token: undefined }, /token/],
    ['an empty token', { token: '' }, /token/],
  ])('rejects %s', (_, wrong, reason) => {
    const create = () => createServer({ ...options, ...wrong });
    expect(create).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(create).toThrow(reason);
  });

  test.each([
    ['https://cloud.example', 'https://cloud.example/api'],
    ['https://cloud.example/', 'https://cloud.example/api'],
    ['https://cloud.example/notes//', 'https://cloud.example/notes/api'],
    ['https://cloud.example/notes?a=1#b', 'https://cloud.example/notes/api'],
    ['http://[::1]:7370', 'http://[::1]:7370/api'],
  ])('sends requests for %s to %s', async (base, expected) => {
    const urls: string[] = [];
    const noting: typeof fetch = async (url) => {
      urls.push(String(url));
      return Response.json({ userId: 'zAda', ledgers: [] });
    };
    await createServer({ ...options, base, fetch: noting }).databases();
    expect(urls).toEqual([expected]);
  });
});

describe('databases of an application', () => {
  test('lists databases with what a back end needs, and without the fields that only the console shows', async () => {
    const { cloud, asked } = await cloudWith({
      body: {
        type: 'resListLedgersByUser',
        userId: 'zAda',
        ledgers: [{ ...LEDGER, kind: 'open-key' }, LEDGER],
      },
    });
    expect(await cloud.databases()).toEqual([
      { ledgerId: 'zLedger', name: 'notes', kind: 'open-key' },
      { ledgerId: 'zLedger', name: 'notes' },
    ]);
    expect(asked).toEqual([
      {
        ...{ method: 'PUT', path: '/api' },
        body: { type: 'reqListLedgersByUser', auth: AUTH, tenantIds: ['zTenant'] },
      },
    ]);
  });

  test('creates and deletes databases in the tenant of the client', async () => {
    const { cloud, asked } = await cloudWith(
      { body: { type: 'resCreateLedger', ledger: { ...LEDGER, kind: 'sealed' } } },
      { body: { type: 'resDeleteLedger', ledgerId: 'zLedger' } },
    );
    expect(await cloud.createDatabase({ name: 'notes', kind: 'sealed' })).toEqual({
      ...{ ledgerId: 'zLedger', name: 'notes', kind: 'sealed' },
    });
    expect(await cloud.deleteDatabase('zLedger')).toBeUndefined();
    expect(asked.map(({ body }) => body)).toMatchObject([
      { type: 'reqCreateLedger', ledger: { tenantId: 'zTenant', name: 'notes', kind: 'sealed' } },
      { type: 'reqDeleteLedger', ledger: { tenantId: 'zTenant', ledgerId: 'zLedger' } },
    ]);
  });
});

describe('users of an application', () => {
  const user = { userId: 'zUser', subject: 'u1' };

  test('keeps the rights of a user unless the back end names some, and ends all of them with an empty list', async () => {
    const answer = { body: { type: 'resPutApplicationUser', user } };
    const { cloud, asked } = await cloudWith(answer, answer, answer);
    await cloud.putUser({ app: 'zApp', subject: 'u1' });
    await cloud.putUser({ app: 'zApp', subject: 'u1', rights: {} });
    await cloud.putUser({ app: 'zApp', subject: 'u1', name: '', rights: { zLedger: 'write' } });
    const of = { type: 'reqPutApplicationUser', auth: AUTH, tenantId: 'zTenant', applicationId: 'zApp' };
    expect(asked.map(({ body }) => body)).toEqual([
      { ...of, subject: 'u1' },
      { ...of, subject: 'u1', rights: {} },
      { ...of, subject: 'u1', name: '', rights: { zLedger: 'write' } },
    ]);
  });

  test('returns users as the cloud knows them, without unknown fields of a later version', async () => {
    const { cloud } = await cloudWith(
      { body: { type: 'resPutApplicationUser', user: { ...user, name: 'Bea', email: 'b@x', later: 1 } } },
      { body: { type: 'resPutApplicationUser', user } },
    );
    const put = () => cloud.putUser({ app: 'zApp', subject: 'u1' });
    expect(await put()).toEqual({ ...user, name: 'Bea', email: 'b@x' });
    expect(await put()).toEqual(user);
  });

  test('removes users, and gets tokens that open one database', async () => {
    const { cloud, asked } = await cloudWith(
      { body: { type: 'resRemoveApplicationUser', userId: 'zUser' } },
      { body: { type: 'resCreateUserToken', token: 'jwt', expiresInSec: 600 } },
    );
    expect(await cloud.removeUser({ app: 'zApp', userId: 'zUser' })).toBeUndefined();
    const token = await cloud.createUserToken({ app: 'zApp', userId: 'zUser', ledgerId: 'zLedger' });
    expect(token).toEqual({ token: 'jwt', expiresInSec: 600 });
    const of = { tenantId: 'zTenant', applicationId: 'zApp', userId: 'zUser' };
    expect(asked.map(({ body }) => body)).toEqual([
      { type: 'reqRemoveApplicationUser', auth: AUTH, ...of },
      { type: 'reqCreateUserToken', auth: AUTH, ...of, ledgerId: 'zLedger' },
    ]);
  });
});

describe('failures of the client for back ends', () => {
  test.each([
    [401, 'NOT_SIGNED_IN'],
    [403, 'FORBIDDEN'],
    [404, 'NOT_FOUND'],
    [409, 'LIMIT_REACHED'],
    [409, 'CONFLICT'],
    [400, 'REQUEST_INVALID'],
  ])('rejects with the code of an answer %i %s', async (status, code) => {
    const { cloud } = await cloudWith(...Array.from({ length: 5 }, () => refusal(status, code)));
    const of = { app: 'zApp', userId: 'zUser' };
    for (const call of [
      () => cloud.databases(),
      () => cloud.deleteDatabase('zLedger'),
      () => cloud.putUser({ app: 'zApp', subject: 'u1' }),
      () => cloud.removeUser(of),
      () => cloud.createUserToken({ ...of, ledgerId: 'zLedger' }),
    ])
      await expect(call()).rejects.toMatchObject({ code });
  });

  test('rejects with FETCH if the cloud cannot be reached, and with HTTP for the answer of a proxy', async () => {
    const gone = createServer({ base: 'http://127.0.0.1:9', tenant: 'zTenant', token: TOKEN });
    await expect(gone.databases()).rejects.toMatchObject({ code: 'FETCH' });
    const { cloud } = await cloudWith(
      { status: 502, body: '<html>' },
      { status: 500, body: '{"code":"__proto__"}' },
    );
    await expect(cloud.databases()).rejects.toMatchObject({ code: 'HTTP' });
    await expect(cloud.databases()).rejects.toMatchObject({ code: 'HTTP' });
  });

  test.each([
    ['null'],
    ['[]'],
    ['{}'],
    ['{"userId":"zAda","ledgers":7}'],
    ['{"userId":"zAda","ledgers":[{"ledgerId":7}]}'],
    ['not JSON'],
  ])('rejects the answer %s, which has no databases', async (body) => {
    const { cloud } = await cloudWith({ body });
    await expect(cloud.databases()).rejects.toMatchObject({ name: 'FixpointError' });
  });

  test('shows no token', async () => {
    const { cloud } = await cloudWith(refusal(403, 'FORBIDDEN'), { body: 'null' });
    for (let n = 0; n < 2; n += 1) {
      const cause: Error = await cloud.databases().then(
        () => new Error('was answered'),
        (error) => error,
      );
      expect(`${cause.message} ${cause.stack} ${JSON.stringify(cause)}`).not.toContain(TOKEN);
    }
  });
});
