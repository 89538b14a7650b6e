/**
 * Tests how devices and API tokens are created and revoked. These credentials act for a user
 * without the user's browser.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { putJson, testCloud } from './cloud.fixture.ts';
import { PASSWORD, PATIENCE, verifiedPage } from './page.fixture.ts';

type Cloud = Awaited<ReturnType<typeof testCloud>>;

async function openWithAda(cloud: Cloud) {
  const page = await verifiedPage(cloud);
  const api = async (type: string, payload: object = {}) => {
    const auth = { type: 'fixpoint', token: await page.token() };
    return putJson(`${cloud.url}/api`, { type, auth, ...payload });
  };
  const { userId } = (await api('reqEnsureUser')).body.user;
  const { tenantId } = (await api('reqCreateTenant', { tenant: { name: 'Acme' } })).body.tenant;
  const startLogin = async () => {
    const { body } = await putJson(`${cloud.url}/api`, { type: 'reqStartLogin', client: 'laptop' });
    return body as { userCode: string; deviceCode: string };
  };
  /**
   * Returns the fields of each request that creates a credential for its user, or transfers their
   * tenant.
   */
  const asked = async () => ({
    reqCreateApiToken: { tenantId, name: 'nightly' },
    reqCertFromCsr: { csr: await signingRequest() },
    reqDecideLogin: { userCode: (await startLogin()).userCode, approve: true },
    reqTransferTenant: { tenantId, userId },
  });
  const ask = async () => {
    const statuses: Record<string, string | number> = {};
    for (const [type, payload] of Object.entries(await asked())) {
      const { status, body } = await api(type, payload);
      statuses[type] = status === 200 ? 200 : body.code;
    }
    return statuses;
  };
  const device = async () => {
    const { userCode, deviceCode } = await startLogin();
    await api('reqDecideLogin', { userCode, approve: true });
    return (await putJson(`${cloud.url}/api`, { type: 'reqPollLogin', deviceCode })).body.token as string;
  };
  const program = async () => (await api('reqCreateApiToken', { tenantId, name: 'ci' })).body.token as string;
  const works = async (token: string) =>
    (await putJson(`${cloud.url}/api`, { type: 'reqListTenantsByUser', auth: { type: 'api-token', token } }))
      .status;
  return { page, api, ask, device, program, works, startLogin };
}

async function signingRequest(): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return new SignJWT({ csr: { subject: { commonName: 'certified' }, publicKey: jwk } })
    .setProtectedHeader({ alg: 'ES256', typ: 'CSR+JWT', jwk })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
}

const ALL = (outcome: string | number) => ({
  reqCreateApiToken: outcome,
  reqCertFromCsr: outcome,
  reqDecideLogin: outcome,
  reqTransferTenant: outcome,
});

/** Moves every sign-in ten days into the past. */
async function tenDaysPass({ db }: Cloud): Promise<void> {
  const ago = new Date(Date.now() - 10 * 86_400_000).toISOString();
  await sql`update session set "createdAt" = ${ago}, "confirmedAt" = null`.execute(db);
}

describe('[S5] the server', () => {
  test('requires a sign-in or confirmation in the last 15 minutes to create devices and API tokens, or to transfer the tenant', async () => {
    const cloud = await testCloud();
    const { page, ask, api, startLogin } = await openWithAda(cloud);
    expect(await ask()).toEqual(ALL(200));
    await tenDaysPass(cloud);
    expect(await ask()).toEqual(ALL('CONFIRM_IDENTITY'));
    const { userCode } = await startLogin();
    expect((await api('reqDecideLogin', { userCode, approve: false })).status).toBe(200);
    expect((await page.post('/auth/confirm', { password: PASSWORD })).status).toBe(200);
    expect(await ask()).toEqual(ALL(200));
  });

  test('mails the user when a device or an API token is created', async () => {
    const cloud = await testCloud();
    const { ask } = await openWithAda(cloud);
    await ask();
    const mails = async () => {
      const folder = join(cloud.data, 'outbox');
      const files = await readdir(folder);
      return (await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))).join('\n');
    };
    await vi.waitFor(async () => {
      const text = await mails();
      expect(text).toContain('An API token was created for your account: "nightly"');
      for (const name of ['laptop', 'certified'])
        expect(text).toContain(`A device was signed in for your account: "${name}"`);
    }, PATIENCE);
  });

  test.each([
    ['/auth/sessions/end', { others: true }],
    [
      '/auth/change-password',
      { currentPassword: PASSWORD, newPassword: 'another long one', revokeOtherSessions: true },
    ],
  ])('revokes the devices and API tokens that a request to %s selects', async (route, body) => {
    const cloud = await testCloud();
    const { page, device, program, works } = await openWithAda(cloud);
    const outcome = async (access?: string) => {
      const tokens = [await device(), await program()];
      const answered = await page.post(route, { ...body, ...(access && { access }) });
      expect(answered.status).toBe(200);
      if (route === '/auth/change-password')
        await page.post(route, { ...body, currentPassword: 'another long one', newPassword: PASSWORD });
      return Promise.all(tokens.map(works));
    };
    expect(await outcome()).toEqual([200, 200]);
    expect(await outcome('keep')).toEqual([200, 200]);
    expect(await outcome('devices')).toEqual([401, 200]);
    expect(await outcome('all')).toEqual([401, 401]);
    expect(await page.post(route, { ...body, access: 'some' })).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID' },
    });
  });

  test('revokes devices and API tokens with "sign out everywhere" if configured', async () => {
    const cloud = await testCloud({ signOutEnds: 'all' });
    const { page, device, program, works } = await openWithAda(cloud);
    const tokens = [await device(), await program()];
    await page.post('/auth/sessions/end', { others: true, access: 'keep' });
    expect(await Promise.all(tokens.map(works))).toEqual([200, 200]);
    await page.post('/auth/sessions/end', { others: true });
    expect(await Promise.all(tokens.map(works))).toEqual([401, 401]);
  });
});
