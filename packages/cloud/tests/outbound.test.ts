import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { REQUESTS } from '@fixpoint/protocol/admin';
import { requestMessage, requestTypes } from '@fixpoint/protocol/storage';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { SMTPServer } from 'smtp-server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkProvider } from '../src/identity/providers/oidc.ts';
import { configFrom } from '../src/index.ts';
import { about, httpClient, newLedger, putJson, testCloud } from './cloud.fixture.ts';
import { PATIENCE } from './page.fixture.ts';
import { newPerson } from './person.fixture.ts';

/** Starts a server on this machine with fixed answers. Returns the requests that it received. */
async function bystander(answers: (url: string) => object = () => ({})) {
  const asked: string[] = [];
  let url = '';
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers(url)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

/** A mail server that accepts everything. */
async function mailServer() {
  let mails = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, _session, done) => {
      mails += 1;
      stream.resume().on('end', () => done());
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, mails: () => mails };
}

/** Records every host and port to which this process opens a connection after this call. */
function connections(): Set<string> {
  const opened = new Set<string>();
  const { connect } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (
    this: Socket,
    ...args: unknown[]
  ) {
    const [first] = args.flat() as [{ host?: string; port?: number; path?: string } | number, string?];
    if (typeof first === 'object') opened.add(first.path ?? `${first.host}:${first.port}`);
    else opened.add(`${String(args[1])}:${first}`);
    return Reflect.apply(connect, this, args) as Socket;
  });
  onTestFinished(() => spy.mockRestore());
  return opened;
}

/**
 * Creates a token that contains the address of another server in every field that can contain one.
 */
async function tokenNaming(url: string): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return new SignJWT({ userId: 'u', email: 'a@example.com', jku: url })
    .setProtectedHeader({ alg: 'ES256', kid: url, jku: url, x5u: url, jwk })
    .setIssuer(url)
    .setAudience(url)
    .setSubject(url)
    .setExpirationTime('1h')
    .sign(privateKey);
}

describe('[S14] the server', () => {
  test('connects only to configured hosts, whatever addresses requests contain', async () => {
    const [other, mail] = [await bystander(), await mailServer()];
    const cloud = await testCloud({ smtp: { url: mail.url, from: 'Fixpoint <no-reply@example.com>' } });
    const ada = await newPerson(cloud.url);
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    await vi.waitFor(() => expect(mail.mails()).toBe(1), PATIENCE);
    const opened = connections();
    const evil = `${other.url}/latest/meta-data`;
    const token = await tokenNaming(evil);
    const named = {
      url: evil,
      name: evil,
      image: evil,
      endpoint: evil,
      tenantId: evil,
      token: evil,
      csr: token,
    };
    for (const type of Object.keys(REQUESTS)) {
      await ada.send(type, {
        ...named,
        tenant: named,
        ledger: named,
        query: { byEmail: evil },
        resultId: evil,
      });
      for (const auth of ['fixpoint', 'clerk', 'oidc', 'device-id', 'api-token', evil])
        await putJson(`${cloud.url}/api`, { type, auth: { type: auth, token } });
    }
    const up = { key: 'k', path: evil, index: evil, tenant: evil, name: evil, base: evil };
    for (const type of requestTypes()) {
      const frame = {
        conn: client.conn,
        ...about(notes, 'car', 'GET', 'k'),
        gestalt: { httpEndpoints: [evil] },
      };
      await putJson(
        `${cloud.url}/fp`,
        requestMessage(type, 'z', notes.token, { ...frame, urlParam: up } as never),
      );
      await putJson(`${cloud.url}/fp`, requestMessage(type, 'z', token, frame as never));
    }
    const headers = { host: new URL(evil).host, 'x-forwarded-host': evil, 'x-forwarded-proto': 'gopher' };
    const email = 'bob@example.com';
    const allowed = {
      '/auth/sign-in/magic-link': { email, callbackURL: '/' },
      '/auth/sign-up/email': { email, password: 'a long password', name: 'Bob', callbackURL: '/' },
      '/auth/sign-in/social': { provider: 'oidc', callbackURL: '/' },
    };
    for (const [path, fields] of Object.entries(allowed))
      for (const body of [{ ...named, ...fields, idToken: { token } }, fields])
        await fetch(`${cloud.url}${path}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json', origin: cloud.url, cookie: ada.cookie },
          body: JSON.stringify(body),
        });
    // The mails of the sign-up and of the link show that connections are recorded.
    await vi.waitFor(() => expect(mail.mails()).toBe(3), PATIENCE);
    const own = new URL(cloud.url).host;
    expect([...opened].filter((host) => host !== own && host !== mail.host)).toEqual([]);
    expect(opened).toContain(mail.host);
    expect(other.asked).toEqual([]);
  });

  test.each([['token_endpoint'], ['userinfo_endpoint'], ['jwks_uri'], ['authorization_endpoint']])(
    "connects to no forbidden address that a provider's metadata contains as its %s",
    async (name) => {
      const opened = connections();
      for (const elsewhere of [
        'http://id.example/token',
        'https://169.254.169.254/latest/meta-data',
        'https://[fe80::1]/token',
        'https://user:pass@id.example/token',
        'file:///etc/passwd',
      ]) {
        const provider = await bystander((issuer) => ({
          issuer,
          authorization_endpoint: 'https://id.example/authorize',
          token_endpoint: 'https://id.example/token',
          userinfo_endpoint: 'https://id.example/me',
          jwks_uri: 'https://id.example/keys',
          [name]: elsewhere,
        }));
        const env = { AUTH: 'oidc', OIDC_ISSUER: provider.url, OIDC_CLIENT_ID: 'fixpoint' };
        const cloud = await testCloud({ identity: configFrom(env).identity });
        opened.clear();
        const { status } = await fetch(`${cloud.url}/auth/sign-in/social`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: cloud.url },
          body: JSON.stringify({ provider: 'oidc', callbackURL: '/' }),
        });
        expect(status, elsewhere).toBe(502);
        const allowed = [cloud.url, provider.url].map((url) => new URL(url).host);
        expect([...opened].filter((host) => !allowed.includes(host))).toEqual([]);
      }
    },
  );

  test.each([['token_endpoint'], ['userinfo_endpoint'], ['jwks_uri'], ['authorization_endpoint']])(
    "connects to no server on this machine that a remote provider's metadata contains as its %s",
    async (name) => {
      const issuer = 'https://id.example';
      const client = { issuer, clientId: 'fixpoint', clientSecret: undefined, hasOrganizations: false };
      const check = (elsewhere: object) => {
        const metadata = {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/me`,
          jwks_uri: `${issuer}/keys`,
          ...elsewhere,
        };
        vi.stubGlobal('fetch', async () => Response.json(metadata));
        return checkProvider(client).finally(() => vi.unstubAllGlobals());
      };
      expect(await check({})).toEqual({ userInfoUrl: `${issuer}/me` });
      for (const here of [
        'http://127.0.0.1:9000/x',
        'http://localhost/x',
        'https://localhost',
        'http://[::1]/x',
      ])
        await expect(check({ [name]: here }), here).rejects.toMatchObject({ code: 'FETCH' });
    },
  );

  test('rejects a configured provider with an internal address, or without https', () => {
    for (const issuer of [
      'http://id.example',
      'https://169.254.169.254',
      'http://10.0.0.1',
      'ftp://id.example',
    ])
      expect(() => configFrom({ AUTH: 'oidc', OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'x' })).toThrow(
        'OIDC_ISSUER',
      );
  });
});
