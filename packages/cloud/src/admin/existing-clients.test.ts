/** Tests requests that existing clients send, but that the specification doesn't list. */
import { exportJWK, generateKeyPair, type JWK, jwtVerify, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { bringIn, makeLedger, makeTenant, openAdmin, type SignedUp } from './admin.fixture.ts';

const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

async function openWithTenant() {
  const parts = await openAdmin();
  const ada = await parts.signUp('ada');
  const tenant = await makeTenant(ada);
  const selectedOf = async (token: string) => (await parts.tokens.verify(token)).selected;
  return { ...parts, ada, tenant, selectedOf };
}

describe('reqEnsureCloudToken', () => {
  test('creates a ledger for an application, and returns the same ledger to a later request', async () => {
    const { ada, tenant, tokens, clock } = await openWithTenant();
    await makeLedger(ada, tenant, 'notes');
    const first = await ada.ask('reqEnsureCloudToken', { appId: 'todo' });
    expect(first).toMatchObject({ appId: 'todo', tenant, claims: { userId: ada.userId } });
    const claims = await tokens.verify(first.cloudToken);
    expect(claims).toMatchObject({
      tenants: [{ id: tenant, role: 'admin' }],
      ledgers: [{ id: first.ledger, right: 'write' }],
      selected: { tenant, ledger: first.ledger, appId: 'todo' },
    });
    expect(Date.parse(first.expiresDate)).toBe(claims.expiresAtMs);
    expect(first.expiresInSec).toBeGreaterThan(590);
    expect(first.expiresInSec).toBeLessThanOrEqual(600);
    clock.ms += MINUTE_MS;
    const second = await ada.ask('reqEnsureCloudToken', { appId: 'todo', env: 'prod' });
    expect(second.ledger).toBe(first.ledger);
    const { ledgers } = await ada.ask('reqListLedgersByUser', {});
    expect(ledgers.map(({ name }) => name).sort()).toEqual(['notes', `todo-${ada.userId}`]);
  });

  test('[S6] returns the same ledger to many parallel first requests', async () => {
    const { ada } = await openWithTenant();
    const asked = Array.from({ length: 20 }, () => ada.ask('reqEnsureCloudToken', { appId: 'todo' }));
    expect(new Set((await Promise.all(asked)).map(({ ledger }) => ledger)).size).toBe(1);
    expect((await ada.ask('reqListLedgersByUser', {})).ledgers).toHaveLength(1);
  });

  test('creates a ledger for each application and stage, or binds the ledger that the request specifies', async () => {
    const { ada, tenant } = await openWithTenant();
    const named = await makeLedger(ada, tenant, 'notes');
    const ofProd = await ada.ask('reqEnsureCloudToken', { appId: 'todo' });
    const ofDev = await ada.ask('reqEnsureCloudToken', { appId: 'todo', env: 'dev' });
    const ofOther = await ada.ask('reqEnsureCloudToken', { appId: 'chat', ledger: named });
    expect(new Set([ofProd.ledger, ofDev.ledger, named]).size).toBe(3);
    expect(ofOther.ledger).toBe(named);
    expect((await ada.ask('reqEnsureCloudToken', { appId: 'chat' })).ledger).toBe(named);
    await ada.ask('reqDeleteLedger', { ledger: { tenantId: tenant, ledgerId: named } });
    expect((await ada.ask('reqEnsureCloudToken', { appId: 'chat' })).ledger).not.toBe(named);
  });

  test('[S1] returns a separate ledger to a second user, until they accept an invite to the first ledger and request it', async () => {
    const { ada, tenant, signUp } = await openWithTenant();
    const { ledger } = await ada.ask('reqEnsureCloudToken', { appId: 'todo' });
    const [bob, eve] = [await signUp('bob'), await signUp('eve')];
    await makeTenant(eve);
    expect((await eve.ask('reqEnsureCloudToken', { appId: 'todo' })).ledger).not.toBe(ledger);
    const invitedParams = { ledger: { id: ledger, right: 'read' as const } };
    await ada.ask('reqInviteUser', { ticket: { query: { existingUserId: bob.userId }, invitedParams } });
    const own = await makeTenant(bob);
    expect(await bob.ask('reqEnsureCloudToken', { appId: 'todo' })).toMatchObject({ tenant: own });
    const shared = { tenant, ledger };
    for (const place of [{ ledger }, { tenant, ledger }])
      expect(await bob.refused('reqEnsureCloudToken', { appId: 'todo', ...place })).toMatchObject({
        status: 409,
        code: 'INVITE_WAITS',
      });
    await bob.ask('reqRedeemInvite', {});
    expect(await bob.ask('reqEnsureCloudToken', { appId: 'todo' })).toMatchObject({ tenant: own });
    expect(await bob.ask('reqEnsureCloudToken', { appId: 'todo', ledger })).toMatchObject(shared);
    expect(await bob.ask('reqEnsureCloudToken', { appId: 'todo', tenant })).toMatchObject(shared);
  });

  test.each(['admin', 'member'] as const)(
    '[S1] never accepts an invite with the role %s, even if the application specifies the tenant',
    async (role) => {
      const { ada, tenant, signUp, db } = await openWithTenant();
      await ada.ask('reqEnsureCloudToken', { appId: 'todo' });
      const bob = await signUp('bob', { emailVerified: true });
      const invitedParams = { tenant: { id: tenant, role } };
      await ada.ask('reqInviteUser', { ticket: { query: { byEmail: bob.person.email }, invitedParams } });
      expect(await bob.refused('reqEnsureCloudToken', { appId: 'todo', tenant })).toMatchObject({
        code: 'INVITE_WAITS',
      });
      const [invite] = await db.selectFrom('InviteTickets').select('status').execute();
      expect(invite?.status).toBe('pending');
      expect((await bob.ask('reqListTenantsByUser', {})).tenants).toEqual([]);
    },
  );

  test("[S1] doesn't find a foreign tenant or ledger, and creates no ledger for a user who isn't an admin anywhere", async () => {
    const { ada, tenant, signUp } = await openWithTenant();
    const ledger = await makeLedger(ada, tenant, 'notes');
    const [eve, max] = [await signUp('eve'), await signUp('max')];
    for (const wrong of [{ tenant }, { ledger }, { tenant, ledger }, { tenant: 'zNone' }, {}])
      expect(await eve.refused('reqEnsureCloudToken', { appId: 'todo', ...wrong })).toMatchObject(NOT_FOUND);
    await bringIn(ada, tenant, max, 'member');
    expect(await max.refused('reqEnsureCloudToken', { appId: 'todo', tenant })).toMatchObject({
      status: 403,
      message: 'Only admins of this tenant may create databases in it',
    });
    // Max may request a ledger that they can use, but this doesn't bind the ledger to the
    // application for others.
    expect((await max.ask('reqEnsureCloudToken', { appId: 'todo', ledger })).ledger).toBe(ledger);
    expect((await ada.ask('reqEnsureCloudToken', { appId: 'todo' })).ledger).not.toBe(ledger);
  });

  test('rejects invalid application names, and requests for another ledger in a full tenant', async () => {
    const { ada, tenant } = await openWithTenant();
    for (const appId of ['', '../x', 'a b', 'x'.repeat(101), 7])
      expect(await ada.refused('reqEnsureCloudToken', { appId })).toMatchObject({ status: 400 });
    for (let i = 0; i < 5; i += 1) await ada.ask('reqEnsureCloudToken', { appId: 'todo', env: `stage-${i}` });
    expect(await ada.refused('reqEnsureCloudToken', { appId: 'todo', tenant })).toMatchObject({
      status: 409,
      message: 'limit reached: 5 databases',
    });
  });
});

describe('reqExtendToken', () => {
  test('extends a valid token by ten minutes each time, for at most six hours', async () => {
    const { ada, admin, tokens, clock } = await openWithTenant();
    const { cloudToken } = await ada.ask('reqEnsureCloudToken', { appId: 'todo' });
    let token = cloudToken;
    const { selected, tenants, ledgers } = await tokens.verify(token);
    const extend = () => admin({ type: 'reqExtendToken', token });
    for (let i = 0; i < 39; i += 1) {
      clock.ms += 9 * MINUTE_MS;
      const { status, body } = await extend();
      expect(status, String(i)).toBe(200);
      token = String(body['token']);
      expect(await tokens.verify(token)).toMatchObject({ selected, tenants, ledgers });
    }
    clock.ms += 9 * MINUTE_MS + 30_000;
    expect(await extend()).toMatchObject({ status: 401, body: { code: 'NOT_SIGNED_IN' } });
  });

  test('rejects a token that expired, was altered, or was signed by somebody else', async () => {
    const { ada, admin, clock } = await openWithTenant();
    const { token } = await ada.ask('reqCloudSessionToken', {});
    for (const wrong of ['x', `${token}x`, token.split('.').slice(0, 2).join('.')])
      expect(await admin({ type: 'reqExtendToken', token: wrong })).toMatchObject({ status: 401 });
    for (const wrong of ['', 7, undefined])
      expect(await admin({ type: 'reqExtendToken', token: wrong })).toMatchObject({ status: 400 });
    clock.ms += 2 * HOUR_MS;
    expect(await admin({ type: 'reqExtendToken', token })).toMatchObject({ status: 401 });
  });

  test('[S5] drops rights that were revoked after the token was created, and rejects a banned user', async () => {
    const { ada, tenant, signUp, admin, tokens, db } = await openWithTenant();
    const ledger = await makeLedger(ada, tenant, 'notes');
    const bob = await signUp('bob');
    await bringIn(ada, tenant, bob);
    const own = await makeTenant(bob, 'Own');
    const { token } = await bob.ask('reqCloudSessionToken', { selected: { tenant: own }, opens: 'all' });
    expect((await tokens.verify(token)).ledgers).toMatchObject([{ id: ledger }]);
    await ada.ask('reqRemoveMember', { tenantId: tenant, userId: bob.userId });
    await makeLedger(bob, own, 'later');
    const { body } = await admin({ type: 'reqExtendToken', token });
    expect(await tokens.verify(String(body['token']))).toMatchObject({
      tenants: [{ id: own }],
      ledgers: [],
    });
    await db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', bob.userId).execute();
    expect(await admin({ type: 'reqExtendToken', token })).toMatchObject({ status: 401 });
  });

  test('[S5] rejects a token once the API token that created it is revoked', async () => {
    const { ada, tenant, admin, tokens } = await openWithTenant();
    await makeLedger(ada, tenant, 'notes');
    const { token: secret, apiToken } = await ada.ask('reqCreateApiToken', { tenantId: tenant, name: 'ci' });
    const auth = { type: 'api-token', token: secret };
    const { body } = await admin({ type: 'reqCloudSessionToken', auth });
    const extended = await admin({ type: 'reqExtendToken', token: body['token'] });
    expect(await tokens.verify(String(extended.body['token']))).toMatchObject({
      apiToken: apiToken.tokenId,
      ledgers: [{ right: 'read' }],
    });
    await ada.ask('reqRevokeApiToken', { tokenId: apiToken.tokenId });
    expect(await admin({ type: 'reqExtendToken', token: body['token'] })).toMatchObject({ status: 401 });
  });
});

/** Creates a device that signs requests and tokens as existing clients do. */
async function newDevice(now: () => number) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const seconds = () => Math.floor(now() / 1000);
  const request = async (more: { publicKey?: JWK; header?: object; exp?: number } = {}) =>
    new SignJWT({ csr: { subject: { commonName: 'laptop' }, publicKey: more.publicKey ?? jwk } })
      .setProtectedHeader({ alg: 'ES256', typ: 'CSR+JWT', jwk, ...more.header })
      .setIssuedAt(seconds())
      .setExpirationTime(seconds() + (more.exp ?? 3600))
      .sign(privateKey);
  /** Signs a token as the holder of the certificate. */
  const sign = async (certificate: string, { key = privateKey, age = 0 } = {}) => {
    const [, payload = ''] = certificate.split('.');
    const claims = Buffer.from(payload, 'base64url').toString('base64');
    return new SignJWT({ iss: 'app', sub: 'device', deviceId: 'z1', seq: 1 })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', x5c: [claims] })
      .setIssuedAt(seconds() - age)
      .setExpirationTime(seconds() + 3600 - age)
      .sign(key);
  };
  return { request, sign };
}

describe('reqCertFromCsr', () => {
  async function openWithDevice() {
    const parts = await openWithTenant();
    const device = await newDevice(() => parts.clock.ms);
    const { certificate } = await parts.ada.ask('reqCertFromCsr', { csr: await device.request() });
    const listTenants = (token: string) =>
      parts.admin({ type: 'reqListTenantsByUser', auth: { type: 'device-id', token } });
    return { ...parts, device, certificate, listTenants };
  }

  test('lets the device sign tokens that act as the user who requested its certificate', async () => {
    const { ada, device, certificate, tokens, listTenants, tenant } = await openWithDevice();
    const [head = '', body = ''] = certificate.split('.');
    expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({
      alg: 'ES256',
      typ: 'CERT+JWT',
    });
    expect(JSON.parse(Buffer.from(body, 'base64url').toString())).toMatchObject({
      sub: 'laptop',
      certificate: { version: '3', subject: { commonName: 'laptop' }, signatureAlgorithm: 'ES256' },
    });
    const answered = await listTenants(await device.sign(certificate));
    expect(answered).toMatchObject({
      status: 200,
      body: { userId: ada.userId, tenants: [{ tenantId: tenant }] },
    });
    // Verifies the server's signature on the certificate with the published key.
    const [key] = tokens.jwks().keys;
    await jwtVerify(certificate, key as JWK, {
      typ: 'CERT+JWT',
      currentDate: new Date('2026-11-20T12:01:00Z'),
    });
    await expect(tokens.verify(certificate)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('[S5] creates a device that is listed and revoked like any other, and that expires after ninety days', async () => {
    const { ada, device, certificate, listTenants, clock } = await openWithDevice();
    const { apiTokens } = await ada.ask('reqListApiTokens', {});
    expect(apiTokens).toMatchObject([{ name: 'laptop', right: 'admin' }]);
    clock.ms += 91 * DAY_MS;
    expect(await listTenants(await device.sign(certificate))).toMatchObject({ status: 401 });
    const { certificate: next } = await ada.ask('reqCertFromCsr', { csr: await device.request() });
    expect(await listTenants(await device.sign(next))).toMatchObject({ status: 200 });
    const [{ tokenId } = { tokenId: '' }] = (await ada.ask('reqListApiTokens', {})).apiTokens;
    await ada.ask('reqRevokeApiToken', { tokenId });
    expect(await listTenants(await device.sign(next))).toMatchObject({ status: 401 });
  });

  test('[S1] rejects a token that another key signed, that has a forged certificate, or that is too old', async () => {
    const { device, certificate, listTenants, clock } = await openWithDevice();
    const other = await generateKeyPair('ES256', { extractable: true });
    const stranger = await newDevice(() => clock.ms);
    const written = JSON.stringify({
      certificate: { subjectPublicKeyInfo: await exportJWK(other.publicKey) },
    });
    const forged = `x.${Buffer.from(written).toString('base64url')}.x`;
    for (const token of [
      'x',
      '',
      certificate,
      await device.sign(certificate, { key: other.privateKey }),
      await device.sign(forged, { key: other.privateKey }),
      await stranger.sign(forged, { key: other.privateKey }),
      await device.sign(certificate, { age: 3700 }),
    ])
      expect(await listTenants(token), token.slice(0, 20)).toMatchObject({ status: 401 });
  });

  test('[S1] requires a request that is signed with the key in it, and a key that no other user has', async () => {
    const { ada, device, signUp, clock } = await openWithDevice();
    const foreign = await exportJWK((await generateKeyPair('ES256', { extractable: true })).publicKey);
    const refusedFor = async (by: SignedUp, csr: string) =>
      (await by.refused('reqCertFromCsr', { csr })).status;
    for (const csr of [
      'x',
      await device.request({ publicKey: foreign }),
      await device.request({ header: { jwk: foreign } }),
      await device.request({ header: { typ: 'JWT' } }),
      await device.request({ exp: -3600 }),
    ])
      expect(await refusedFor(ada, csr)).toBe(400);
    const eve = await signUp('eve');
    clock.ms += MINUTE_MS;
    expect(await refusedFor(eve, await device.request())).toBe(409);
  });

  test("[S4] doesn't let somebody with a leaked device key create another device", async () => {
    const { device, certificate, admin } = await openWithDevice();
    const auth = { type: 'device-id', token: await device.sign(certificate) };
    const answered = await admin({ type: 'reqCertFromCsr', auth, csr: await device.request() });
    expect(answered).toMatchObject({ status: 403 });
  });
});
