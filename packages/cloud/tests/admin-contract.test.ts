/**
 * Tests the admin API over HTTP through its typed client: every request type, each answer against
 * its schema, and every kind of refusal.
 */

import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AdminClient, createAdminClient, REQUESTS, reasonFor } from '@fixpoint/protocol/admin';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import type { Db } from '../src/tables/connection.ts';
import { newOperatorLink } from '../src/tokens/operator-link.ts';
import { putJson, testCloud } from './cloud.fixture.ts';
import { mailedLink } from './page.fixture.ts';
import { identityToken, newPerson } from './person.fixture.ts';

const APPLICATION = 'https://app.example';
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Returns the value of a request that must succeed. */
function must<T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error },
): T {
  if (!result.ok) throw result.error;
  return result.value;
}

async function signingRequest(): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return new SignJWT({ csr: { subject: { commonName: 'laptop' }, publicKey: jwk } })
    .setProtectedHeader({ alg: 'ES256', typ: 'CSR+JWT', jwk })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
}

const secret = () => randomBytes(32).toString('base64url');

/** Serves the keys of an issuer, and returns its settings and a token of a user. */
async function ownIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }];
  const server = createServer((_, answer) => answer.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const issuer = { issuer: 'own', jwksUrl: `http://127.0.0.1:${port}/keys`, audience: 'fixpoint' };
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .setIssuer('own')
    .setAudience('fixpoint')
    .setSubject('u1')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  return { issuer, token };
}

/** Sends each request about users whom an application brings along. */
async function bringUsers(
  ada: AdminClient,
  page: AdminClient,
  backEnd: AdminClient,
  { tenantId, ledgerId }: { readonly tenantId: string; readonly ledgerId: string },
) {
  const { issuer, token } = await ownIssuer();
  const redirectUrls = [`${APPLICATION}/`];
  const settings = { tenantId, name: 'Notes', origins: [APPLICATION], redirectUrls, issuer };
  const { applicationId, ...made } = must(await ada.createApplication(settings));
  expect(made.issuer).toEqual(issuer);
  const ids = { tenantId, applicationId };
  const said = { ...ids, subject: 'u1', name: 'Bea', rights: { [ledgerId]: 'write' } } as const;
  const { userId } = must(await backEnd.putApplicationUser(said));
  const cloudToken = must(await backEnd.createUserToken({ ...ids, userId, ledgerId }));
  expect(cloudToken).toMatchObject({ expiresInSec: 600 });
  const refreshToken = `${secret()}.${secret()}`;
  const begun = must(await page.exchangeApplicationToken({ applicationId, token, refreshToken }));
  expect(begun).toMatchObject({ status: 'open', user: { userId, name: 'Bea' } });
  const session = { applicationId, accessToken: begun.accessToken ?? '' };
  expect(must(await page.listApplicationDatabases(session))).toMatchObject([{ ledgerId, right: 'write' }]);
  expect(must(await backEnd.listApplicationUsers(ids)).users).toMatchObject([{ userId, status: 'active' }]);
  expect(must(await backEnd.removeApplicationUser({ ...ids, userId }))).toBe(userId);
  expect(await page.listApplicationDatabases(session)).toMatchObject({ error: { code: 'NOT_SIGNED_IN' } });
  must(await ada.deleteApplication(ids));
}

/** Sends each request about applications and their sessions. */
async function signInToApplication(ada: AdminClient, page: AdminClient, tenantId: string, ledgerId: string) {
  const redirectUrl = `${APPLICATION}/signed-in`;
  const settings = { tenantId, name: 'Notes', origins: [APPLICATION], redirectUrls: [redirectUrl] };
  const { applicationId } = must(await ada.createApplication(settings));
  const changed = { ...settings, applicationId, name: 'Papers' };
  expect(must(await ada.updateApplication(changed))).toMatchObject(changed);
  expect(must(await ada.listApplications(tenantId))).toMatchObject([changed]);
  const asked = { applicationId, redirectUrl };
  expect(must(await ada.describeApplication(asked))).toMatchObject({ name: 'Papers', isGranted: false });
  const verifier = secret();
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const code = must(await ada.authorizeApplication({ ...asked, challenge, agrees: true }));
  const [family, first, second] = [secret(), secret(), secret()];
  const refreshToken = `${family}.${first}`;
  const begun = must(await page.beginApplicationSession({ ...asked, code, verifier, refreshToken }));
  expect(begun).toMatchObject({ status: 'open', user: { email: 'ada@example.com' } });
  const next = `${family}.${second}`;
  const { accessToken = '' } = must(
    await page.refreshApplicationSession({ applicationId, refreshToken, next }),
  );
  const session = { applicationId, accessToken };
  expect(must(await page.listApplicationDatabases(session))).toMatchObject([{ ledgerId, right: 'write' }]);
  const token = must(await page.applicationCloudToken({ ...session, ledgerId }));
  expect(token.split('.')).toHaveLength(3);
  expect(must(await ada.listApplicationGrants())).toMatchObject([{ applicationId, name: 'Papers' }]);
  const ended = must(await page.endApplicationSession({ applicationId, refreshToken: next }));
  expect(ended).toMatchObject({ status: 'ended' });
  expect(must(await ada.revokeApplicationGrant(applicationId))).toBe(applicationId);
  expect(must(await ada.deleteApplication({ tenantId, applicationId }))).toBe(applicationId);
}

async function open() {
  const cloud = await testCloud();
  const { url, data } = cloud;
  /** Request types sent so far, and all answers. */
  const [asked, told]: [Set<string>, string[]] = [new Set(), []];
  const recording: typeof fetch = async (to, init) => {
    asked.add((JSON.parse(String(init?.body)) as { type: string }).type);
    const response = await fetch(to, init);
    told.push(await response.clone().text());
    return response;
  };
  const person = async (name: string) => {
    const { userId, cookie, email } = await newPerson(url, name);
    const auth = async () => ({ type: 'fixpoint', token: await identityToken(url, cookie) });
    const admin = createAdminClient({ url: `${url}/api`, fetch: recording, auth });
    const verify = async () => fetch(await mailedLink(data, 'Verify your email address', email));
    return Object.assign(admin, { userId, email, verify });
  };
  /** Client of a page of an application. */
  const page = createAdminClient({
    url: `${url}/api/app`,
    fetch: (to, init) => recording(to, { ...init, headers: { ...init?.headers, origin: APPLICATION } }),
    auth: async () => undefined,
  });
  const program = (token: string) =>
    createAdminClient({
      url: `${url}/api`,
      fetch: recording,
      auth: async () => ({ type: 'api-token', token }),
    });
  return { ...cloud, asked, told, person, page, program };
}

/** Returns the pairs of name and value in an answer, at any depth. */
function fieldsOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    [name, inner] as [string, unknown],
    ...fieldsOf(inner),
  ]);
}

type Someone = AdminClient & { readonly userId: string; readonly email: string };

/** Sends the requests of operators. Ada becomes the operator. */
async function operate(db: Db, ada: Someone, bob: Someone, tenantId: string): Promise<void> {
  const link = (await newOperatorLink(db, 'https://console.example', Date.now())) ?? '';
  expect(must(await ada.claimOperator(new URL(link).hash.slice(1)))).toMatchObject({ operator: true });
  expect(must(await ada.describeServer())).toMatchObject({ signUp: 'open', tenants: 1, gateways: 1 });
  must(await ada.setTenantLimits({ tenantId, maxLedgers: 7, maxBytes: 1_000_000_000 }));
  expect(must(await ada.listServerTenants({})).tenants).toMatchObject([
    { tenantId, maxLedgers: 7, maxBytes: 1_000_000_000, ownerEmail: ada.email },
  ]);
  must(await ada.setUserLimits({ userId: bob.userId, maxTenants: 2 }));
  must(await ada.changeUser(bob.userId, 'sign-out'));
  const { users } = must(await ada.listServerUsers({ search: bob.email }));
  expect(users).toMatchObject([{ userId: bob.userId, maxTenants: 2, operator: false }]);
  expect(await ada.approveWaiting([bob.userId])).toMatchObject({ ok: false, error: { code: 'NOT_FOUND' } });
  expect(must(await ada.listGateways())).toMatchObject([{ version: '0.1.0' }]);
  expect(must(await ada.listFailedMails())).toEqual([]);
  expect(must(await ada.listBackups())).toMatchObject({ backups: [] });
  expect(must(await ada.listServerAudit({ limit: 1 })).records).toMatchObject([{ action: 'reqChangeUser' }]);
}

test('[7.1][7.2] grants every request to callers with the right, with an answer that matches its schema', async () => {
  const { db, tokens, asked, told, person, page, program, data } = await open();
  const [ada, bob, gus] = [await person('ada'), await person('bob'), await person('gus')];
  expect(must(await ada.ensureUser())).toMatchObject({
    user: { userId: ada.userId, status: 'active' },
    tenants: [],
  });
  const { tenantId } = must(await ada.createTenant('Acme'));
  expect(must(await ada.updateTenant(tenantId, 'Acme & Co'))).toMatchObject({ tenantId, name: 'Acme & Co' });
  const tenant = { id: tenantId };

  const [found] = must(await ada.findUser({ byString: bob.email }));
  expect(found).toMatchObject({ userId: bob.userId, byProviders: [{ cleanEmail: bob.email }] });
  const invite = must(
    await ada.inviteUser({
      query: { existingUserId: bob.userId },
      invitedParams: { tenant: { ...tenant, role: 'admin' } },
    }),
  );
  expect(must(await ada.listInvites({ tenantIds: [tenantId] }))).toMatchObject([
    { inviteId: invite.inviteId, status: 'pending' },
  ]);
  expect(must(await bob.listInvites({ toMe: true }))).toMatchObject([
    { place: 'Acme & Co', inviter: ada.email },
  ]);
  expect(must(await bob.redeemInvite(invite.inviteId))).toMatchObject([{ status: 'accepted' }]);
  for (const [from, to] of [
    [ada, bob],
    [bob, ada],
  ] as const)
    expect(must(await from.transferTenant(tenantId, to.userId))).toMatchObject({ ownerUserId: to.userId });
  const change = { tenantId, userId: bob.userId, role: 'member' as const, name: 'Bob' };
  expect(must(await ada.updateUserTenant(change))).toMatchObject({ ...change, default: false });
  expect(must(await bob.listTenantsByUser())).toMatchObject([
    { tenantId, role: 'member', user: { name: 'Bob' } },
  ]);

  const { ledgerId } = must(await ada.createLedger({ tenantId, name: 'notes', kind: 'open-key' }));
  const ledger = { tenantId, ledgerId };
  expect(must(await ada.updateLedger({ ...ledger, name: 'papers' }))).toMatchObject({
    ...ledger,
    name: 'papers',
  });
  expect(must(await bob.listLedgersByUser([tenantId]))).toMatchObject([{ ledgerId, name: 'papers' }]);
  const next = must(
    await ada.createLedger({ tenantId, name: 'sealed', kind: 'sealed', successorOf: ledgerId }),
  );
  for (const movedTo of [next.ledgerId, null])
    expect(must(await ada.moveLedger(ledger, movedTo)).movedTo).toBe(movedTo ?? undefined);
  must(await ada.deleteLedger({ tenantId, ledgerId: next.ledgerId }));
  expect(must(await ada.shareLedger({ ledger, userId: bob.userId, right: 'read' }))).toMatchObject({
    userId: bob.userId,
    right: 'read',
  });
  const toLedger = { query: { byEmail: gus.email }, invitedParams: { ledger: { id: ledgerId } } };
  must(await ada.inviteUser(toLedger));
  expect(must(await ada.listShares(ledger))).toMatchObject({
    maxShares: 5,
    shares: [{ userId: bob.userId }],
    tickets: [{ query: { byEmail: gus.email }, status: 'pending' }],
  });
  const link = await mailedLink(data, `${ada.email.split('@')[0]} invites you to`, gus.email);
  expect(must(await gus.describeInvite(new URL(link).hash.slice(1)))).toMatchObject({
    ...{ email: gus.email, kind: 'ledger', may: 'read', inviter: ada.email, hasAccount: false },
  });
  await gus.verify();
  const [waiting] = must(await gus.listInvites({ toMe: true }));
  expect(must(await gus.rejectInvite(waiting?.inviteId ?? ''))).toMatchObject({ status: 'rejected' });
  expect(must(await ada.deleteInvite(waiting?.inviteId ?? ''))).toBe(waiting?.inviteId);
  expect(must(await ada.unshareLedger({ ledger, userId: bob.userId }))).toBe(bob.userId);

  const resultId = 'z8fYpQ2Lk1';
  const token = must(
    await ada.cloudSessionToken({ selected: { tenant: tenantId, ledger: ledgerId }, resultId }),
  );
  expect(must(await bob.tokenByResultId(resultId))).toBe(token);
  expect(await tokens.verify(must(await ada.extendToken(token)))).toMatchObject({ userId: ada.userId });
  const ofApp = must(await ada.ensureCloudToken({ appId: 'todo', ledger: ledgerId }));
  expect(ofApp).toMatchObject({ appId: 'todo', tenant: tenantId, ledger: ledgerId });
  expect(must(await ada.certFromCsr(await signingRequest())).split('.')).toHaveLength(3);

  const { apiToken } = must(await ada.createApiToken({ tenantId, name: 'ci', right: 'write', days: 1 }));
  expect(must(await ada.listApiTokens(tenantId))).toMatchObject([{ tokenId: apiToken.tokenId, name: 'ci' }]);
  expect(must(await ada.revokeApiToken(apiToken.tokenId))).toBe(apiToken.tokenId);
  const login = must(await ada.startLogin('a program'));
  expect(must(await ada.describeLogin(login.userCode))).toMatchObject({ client: 'a program' });
  expect(must(await ada.decideLogin(login.userCode, true))).toBe('approved');
  expect(must(await ada.pollLogin(login.deviceCode))).toMatchObject({ status: 'approved' });

  const ofBackEnd = must(await ada.createApiToken({ tenantId, name: 'back end', right: 'admin', days: 1 }));
  await bringUsers(ada, page, program(ofBackEnd.token), { tenantId, ledgerId });
  await signInToApplication(ada, page, tenantId, ledgerId);

  expect(must(await ada.listUsage(tenantId)).days).toHaveLength(30);
  const { records } = must(await ada.listAudit({ tenantId, limit: 5 }));
  expect(records.map(({ action }) => action)).toEqual([
    'reqDeleteApplication',
    'reqUpdateApplication',
    'reqCreateApplication',
    'reqDeleteApplication',
    'reqRemoveApplicationUser',
  ]);
  await operate(db, ada, bob, tenantId);
  expect(must(await ada.removeMember(tenantId, bob.userId))).toBe(bob.userId);
  expect(must(await ada.deleteLedger(ledger))).toBe(ledgerId);
  expect(must(await ada.deleteTenant(tenantId))).toBe(tenantId);

  expect([...asked].sort()).toEqual(Object.keys(REQUESTS).sort());
  // Dates are ISO text, numbers are numbers in every database, and absent fields are omitted.
  const fields = told.flatMap((text) => fieldsOf(JSON.parse(text)));
  for (const [name, value] of fields) {
    expect(value, name).not.toBeNull();
    if (/^(createdAt|updatedAt|expiresAt|expiresAfter|expiresDate|lastUsedAt|at|used)$/.test(name))
      expect(value, name).toMatch(ISO);
    if (/^max[A-Z]|^seq$|Count$/.test(name)) expect(typeof value, name).toBe('number');
  }
});

test('[8.1] gives each kind of refusal a status, a code and a reason, and the client shows the reason as specified', async () => {
  const { url, person } = await open();
  const ada = await person('ada');
  const { tenantId } = must(await ada.createTenant('Acme'));
  for (let count = 1; count < 5; count += 1) must(await ada.createTenant(`T${count}`));
  must(await ada.createLedger({ tenantId, name: 'notes' }));
  const { token } = must(await ada.createApiToken({ tenantId, name: 'ci' }));
  const byToken = createAdminClient({
    url: `${url}/api`,
    fetch,
    auth: async () => ({ type: 'api-token', token }),
  });
  const nobody = createAdminClient({ url: `${url}/api`, fetch, auth: async () => undefined });
  type Asked = () => ReturnType<AdminClient['call']>;
  const refusals: [number, string, string, Asked][] = [
    [
      400,
      'REQUEST_INVALID',
      'request is not valid: Name is required',
      () => ada.call('reqCreateTenant', { tenant: { name: ' ' } }),
    ],
    [
      400,
      'REQUEST_INVALID',
      'request is not valid: Name must be at least 3 characters',
      () => ada.call('reqCreateLedger', { ledger: { tenantId, name: 'ab' } }),
    ],
    [
      401,
      'NOT_SIGNED_IN',
      'not signed in',
      () =>
        createAdminClient({
          url: `${url}/api`,
          fetch,
          auth: async () => ({ type: 'fixpoint', token: 'x' }),
        }).call('reqListTenantsByUser', {}),
    ],
    [
      403,
      'FORBIDDEN',
      "forbidden: this token doesn't allow this request",
      () => byToken.call('reqDeleteTenant', { tenantId }),
    ],
    [404, 'NOT_FOUND', 'Not found', () => ada.call('reqDeleteTenant', { tenantId: 'zNone' })],
    [
      409,
      'CONFLICT',
      'conflict: a database already has this name',
      () => ada.call('reqCreateLedger', { ledger: { tenantId, name: 'notes' } }),
    ],
    [409, 'CONFLICT', 'conflict: a tenant needs an admin', () => ada.call('reqRemoveMember', { tenantId })],
    [
      409,
      'LIMIT_REACHED',
      'limit reached: 5 tenants',
      () => ada.call('reqCreateTenant', { tenant: { name: 'T6' } }),
    ],
  ];
  for (const [status, code, message, ask] of refusals) {
    const result = await ask();
    if (result.ok) throw new Error(`${code} was granted`);
    const { error } = result;
    expect([error.code, reasonFor(error)]).toEqual([code, message]);
    const body = { type: 'error', code, message, error: `Error: ${message}` };
    const [said = '', ...rest] = error.message.split(/: (?=\{)/);
    expect(said).toMatch(new RegExp(`^HTTP: ${status} \\w`));
    expect(JSON.parse(rest.join(': '))).toMatchObject(body);
  }
  const noToken = await nobody.listTenantsByUser();
  expect(noToken).toMatchObject({ ok: false, error: { message: 'No token available' } });
  const asking = Array.from({ length: 31 }, () => ada.findUser({ byString: 'x@example.com' }));
  const busy = (await Promise.all(asking)).find(({ ok }) => !ok);
  expect(busy).toMatchObject({ ok: false, error: { code: 'RATE_LIMITED' } });
  expect(await putJson(`${url}/api`, { type: 'reqNothing' })).toMatchObject({ status: 400 });
});
