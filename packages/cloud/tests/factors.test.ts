import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { newDevice } from './authenticator.fixture.ts';
import { type TestCloud, testCloud } from './cloud.fixture.ts';
import { codeFor, mailedLink, newPage, PASSWORD, type Page, verifiedPage } from './page.fixture.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Moves the start of all sessions into the past by `ms`. */
async function age({ db }: TestCloud, ms: number): Promise<void> {
  await sql`update session set "createdAt" = ${new Date(Date.now() - ms).toISOString()}`.execute(db);
}

async function addPasskey(page: Page, device: ReturnType<typeof newDevice>, name = 'laptop') {
  const options = await page.get('/auth/passkey/generate-register-options');
  if (options.status !== 200) return options;
  return page.post('/auth/passkey/verify-registration', { response: device.create(options.body), name });
}

async function signInByPasskey(page: Page, device: ReturnType<typeof newDevice>) {
  const { body } = await page.get('/auth/passkey/generate-authenticate-options');
  return page.post('/auth/passkey/verify-authentication', { response: device.get(body) });
}

/** Enables the second factor. */
async function addCodes(page: Page): Promise<{ uri: string; backupCodes: string[] }> {
  const { status, body } = await page.post('/auth/two-factor/enable', { password: PASSWORD });
  expect(status, JSON.stringify(body)).toBe(200);
  const now = Date.now();
  const on = await page.post('/auth/two-factor/verify-totp', { code: codeFor(body.totpURI, now) });
  expect(on.status, JSON.stringify(on.body)).toBe(200);
  return { uri: body.totpURI, backupCodes: body.backupCodes };
}

/**
 * Returns the code of the next half minute, which is already valid and wasn't used to enable the
 * factor.
 */
const nextCode = (uri: string) => codeFor(uri, Date.now() + 30_000);

describe('a passkey', () => {
  test('can be created, listed and renamed by a signed-in user, and signs them in without a password', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const device = newDevice({ origin: cloud.url });
    const { body: options } = await ada.get('/auth/passkey/generate-register-options');
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Fixpoint' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect((await addPasskey(ada, device)).status).toBe(200);
    const [listed] = (await ada.get('/auth/passkey/list-user-passkeys')).body;
    expect(listed).toMatchObject({ name: 'laptop' });
    await ada.post('/auth/passkey/update-passkey', { id: listed.id, name: 'desk' });
    expect((await ada.get('/auth/passkey/list-user-passkeys')).body).toMatchObject([{ name: 'desk' }]);
    const other = newPage(cloud.url);
    const asked = await other.get('/auth/passkey/generate-authenticate-options');
    expect(asked.body).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    const signedIn = await other.post('/auth/passkey/verify-authentication', {
      response: device.get(asked.body),
    });
    expect(signedIn.status).toBe(200);
    expect(JSON.stringify(signedIn.body)).not.toContain('"token"');
    expect((await other.get('/auth/get-session')).body).toMatchObject({
      user: { email: ada.email },
      session: { strong: true },
    });
    expect(await other.token()).toBeDefined();
    expect((await other.post('/auth/passkey/delete-passkey', { id: listed.id })).status).toBe(200);
    expect((await signInByPasskey(newPage(cloud.url), device)).status).toBe(401);
  });

  test('[S4] signs in once per challenge, and only with an answer from the page that requested it', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const device = newDevice({ origin: cloud.url });
    await addPasskey(ada, device);
    const page = newPage(cloud.url);
    const { body: options } = await page.get('/auth/passkey/generate-authenticate-options');
    const response = device.get(options);
    const verify = (by: Page, answer: object) =>
      by.post('/auth/passkey/verify-authentication', { response: answer });
    expect((await verify(newPage(cloud.url), response)).status).toBe(400);
    expect((await verify(page, response)).status).toBe(200);
    expect((await verify(page, response)).status).toBe(400);
    const wrong: ((asked: { challenge: string; rpId: string }) => object)[] = [
      (asked) => device.get({ ...asked, challenge: 'AAAA' }),
      (asked) => device.get({ ...asked, rpId: 'evil.example' }),
      (asked) => device.get(asked, (bytes) => Buffer.concat([bytes.subarray(0, 32), Buffer.alloc(5, 0xff)])),
      (asked) => ({ ...newDevice({ origin: cloud.url }).get(asked), id: response['id'] }),
    ];
    for (const make of wrong) {
      const other = newPage(cloud.url);
      const asked = (await other.get('/auth/passkey/generate-authenticate-options')).body;
      expect((await verify(other, make(asked))).status).toBe(400);
      expect(other.cookies.has('fixpoint.session_token')).toBe(false);
    }
    const fromElsewhere = newDevice({ origin: 'https://evil.example' });
    expect((await addPasskey(ada, fromElsewhere)).status).toBeGreaterThanOrEqual(400);
  });

  test('is rejected if the device asks only for a touch, because that is only one factor', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const touched = newDevice({ origin: cloud.url, isVerified: false });
    expect((await addPasskey(ada, touched)).status).toBe(401);
    expect((await ada.get('/auth/passkey/list-user-passkeys')).body).toEqual([]);
  });

  test("[S1] can't be read, renamed or removed by others, or added without a sign-in", async () => {
    const cloud = await testCloud();
    const [ada, eve] = [await verifiedPage(cloud), await verifiedPage(cloud, 'eve')];
    await addPasskey(ada, newDevice({ origin: cloud.url }));
    const [{ id }] = (await ada.get('/auth/passkey/list-user-passkeys')).body;
    expect((await eve.get('/auth/passkey/list-user-passkeys')).body).toEqual([]);
    expect((await eve.post('/auth/passkey/update-passkey', { id, name: 'mine' })).status).toBe(401);
    expect((await eve.post('/auth/passkey/delete-passkey', { id })).status).toBe(401);
    expect((await newPage(cloud.url).get('/auth/passkey/generate-register-options')).status).toBe(401);
    expect((await ada.get('/auth/passkey/list-user-passkeys')).body).toMatchObject([{ name: 'laptop' }]);
  });

  test("can't be added or removed by a person who knows only the password", async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const device = newDevice({ origin: cloud.url });
    await addPasskey(ada, device);
    const [{ id }] = (await ada.get('/auth/passkey/list-user-passkeys')).body;
    const thief = newPage(cloud.url);
    await thief.signIn(ada.email);
    const refused = { status: 403, body: { code: 'SECOND_FACTOR_NEEDED' } };
    expect(await addPasskey(thief, newDevice({ origin: cloud.url }))).toMatchObject(refused);
    expect(await thief.post('/auth/two-factor/enable', { password: PASSWORD })).toMatchObject(refused);
    expect(await thief.post('/auth/passkey/delete-passkey', { id })).toMatchObject(refused);
    await signInByPasskey(thief, device);
    expect((await thief.post('/auth/passkey/delete-passkey', { id })).status).toBe(200);
  });
});

describe('the second factor of an account with a password', () => {
  test('is enabled by the first code; later sign-ins require a code after the password', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const { uri } = await addCodes(ada);
    expect((await ada.get('/auth/get-session')).body).toMatchObject({
      user: { twoFactorEnabled: true },
      session: { strong: true },
    });
    const page = newPage(cloud.url);
    expect(await page.signIn(ada.email)).toMatchObject({
      status: 200,
      body: { twoFactorRedirect: true, twoFactorMethods: ['totp'] },
    });
    expect(await page.token()).toBeUndefined();
    expect((await page.post('/auth/two-factor/verify-totp', { code: '000000' })).status).toBe(401);
    expect((await page.post('/auth/two-factor/verify-totp', { code: nextCode(uri) })).status).toBe(200);
    expect(await page.token()).toBeDefined();
    expect((await ada.post('/auth/two-factor/disable', { password: 'wrong password' })).status).toBe(400);
    expect((await ada.post('/auth/two-factor/disable', { password: PASSWORD })).status).toBe(200);
    const again = newPage(cloud.url);
    await again.signIn(ada.email);
    expect(await again.token()).toBeDefined();
  });

  test('[S4] accepts each code and each backup code only once', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const { uri, backupCodes } = await addCodes(ada);
    expect(backupCodes).toHaveLength(10);
    const [owner, watcher] = [newPage(cloud.url), newPage(cloud.url)];
    const code = nextCode(uri);
    for (const page of [owner, watcher]) await page.signIn(ada.email);
    expect((await owner.post('/auth/two-factor/verify-totp', { code })).status).toBe(200);
    expect((await watcher.post('/auth/two-factor/verify-totp', { code })).status).toBe(401);
    expect(await watcher.token()).toBeUndefined();
    for (const [page, status] of [
      [newPage(cloud.url), 200],
      [newPage(cloud.url), 401],
    ] as const) {
      await page.signIn(ada.email);
      const tried = await page.post('/auth/two-factor/verify-backup-code', { code: backupCodes[0] });
      expect(tried.status).toBe(status);
    }
  });

  test('[S7] requires the password again after five tries of a code', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const { uri } = await addCodes(ada);
    const page = newPage(cloud.url);
    await page.signIn(ada.email);
    const guess = () => page.post('/auth/two-factor/verify-totp', { code: '000000' });
    for (let i = 0; i < 5; i += 1) expect((await guess()).status).toBe(401);
    expect((await guess()).status).toBe(400);
    expect((await page.post('/auth/two-factor/verify-totp', { code: nextCode(uri) })).status).toBe(401);
    expect(await page.token()).toBeUndefined();
  });

  test("is also required after a mailed link or a new password, and can't be turned off for a device", async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const page = newPage(cloud.url);
    const early = { email: ada.email, callbackURL: '/fp/cloud' };
    await page.post('/auth/sign-in/magic-link', early);
    const link = await mailedLink(cloud.data, 'Your sign-in link');
    const { uri } = await addCodes(ada);
    const opened = await page.get(link);
    expect(opened.status).toBe(302);
    expect(opened.headers.get('location')).toContain('error=failed_to_create_session');
    expect(await page.token()).toBeUndefined();
    await page.post('/auth/sign-in/magic-link', early);
    expect(await mailedLink(cloud.data, 'Sign in with your second factor')).toContain('/login');
    await page.post('/auth/request-password-reset', { email: ada.email });
    const reset = new URL(await mailedLink(cloud.data, 'Choose a new password')).searchParams.get('reset');
    await page.post('/auth/reset-password', { token: reset, newPassword: 'another long password' });
    expect((await page.signIn(ada.email, 'another long password')).body).toMatchObject({
      twoFactorRedirect: true,
    });
    const trusting = { code: nextCode(uri), trustDevice: true };
    expect((await page.post('/auth/two-factor/verify-totp', trusting)).status).toBe(400);
  });

  test("can't be added at an unverified address, because that could lock out the owner of the address", async () => {
    const { url } = await testCloud();
    const thief = newPage(url);
    await thief.post('/auth/sign-up/email', { email: 'ada@example.com', password: PASSWORD, name: 'Ada' });
    const refused = { status: 403, body: { code: 'FORBIDDEN' } };
    expect(await thief.post('/auth/two-factor/enable', { password: PASSWORD })).toMatchObject(refused);
    expect(await addPasskey(thief, newDevice({ origin: url }))).toMatchObject(refused);
  });

  test('is needed for an identity token with SECOND_FACTOR=required, and the console learns that it is needed', async () => {
    const cloud = await testCloud({ secondFactor: 'required' });
    const told = await (await fetch(`${cloud.url}/.well-known/fixpoint.json`)).json();
    expect(told).toMatchObject({
      signIn: { kind: 'builtin', passkeys: true, secondFactor: 'required' },
    });
    const ada = await verifiedPage(cloud);
    expect(await ada.get('/auth/token')).toMatchObject({
      status: 403,
      body: { code: 'SECOND_FACTOR_NEEDED' },
    });
    await addCodes(ada);
    expect(await ada.token()).toBeDefined();
    const change = { currentPassword: PASSWORD, newPassword: 'another long password' };
    expect((await ada.post('/auth/change-password', { ...change, revokeOtherSessions: true })).status).toBe(
      200,
    );
    expect(await ada.token()).toBeDefined();
    const bob = await verifiedPage(cloud, 'bob');
    const device = newDevice({ origin: cloud.url });
    await addPasskey(bob, device);
    expect(await bob.token()).toBeUndefined();
    await signInByPasskey(bob, device);
    expect(await bob.token()).toBeDefined();
  });
});

describe('a session at an unattended page', () => {
  test('requires the password again after 15 minutes to end other sessions or change factors', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    const other = newPage(cloud.url);
    await other.signIn(ada.email);
    await age(cloud, HOUR_MS);
    const asked = { status: 403, body: { code: 'CONFIRM_IDENTITY' } };
    const ended = () => ada.post('/auth/sessions/end', { others: true });
    expect(await ended()).toMatchObject(asked);
    const { sessions } = (await ada.get('/auth/sessions')).body;
    const foreign = sessions.find(({ current }: { current: boolean }) => !current);
    expect(await ada.post('/auth/sessions/end', { id: foreign.id })).toMatchObject(asked);
    expect(await ada.post('/auth/two-factor/enable', { password: PASSWORD })).toMatchObject(asked);
    expect(await addPasskey(ada, newDevice({ origin: cloud.url }))).toMatchObject(asked);
    expect((await ada.post('/auth/confirm', { password: 'wrong password' })).status).toBe(401);
    expect(await ended()).toMatchObject(asked);
    expect(await ada.post('/auth/confirm', { password: PASSWORD })).toMatchObject({
      status: 200,
      body: { confirmed: true },
    });
    expect((await ended()).status).toBe(200);
    expect((await other.get('/auth/sessions')).status).toBe(401);
    expect((await newPage(cloud.url).post('/auth/confirm', { password: PASSWORD })).status).toBe(401);
  });

  test('can end itself and list sessions without the password, even after a day', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    await age(cloud, 2 * DAY_MS);
    const { sessions } = (await ada.get('/auth/sessions')).body;
    expect(sessions).toHaveLength(1);
    expect((await ada.post('/auth/sessions/end', { id: sessions[0].id })).status).toBe(200);
    expect((await ada.get('/auth/sessions')).status).toBe(401);
  });

  test('expires after thirty days, even if it is used', async () => {
    const cloud = await testCloud();
    const ada = await verifiedPage(cloud);
    await age(cloud, 29 * DAY_MS);
    expect(await ada.token()).toBeDefined();
    await age(cloud, 31 * DAY_MS);
    expect((await ada.get('/auth/token')).status).toBe(401);
    expect((await sql`select id from session`.execute(cloud.db)).rows).toEqual([]);
  });

  test('[S15] never returns its token in an answer', async () => {
    const cloud = await testCloud();
    const page = newPage(cloud.url);
    const body = { email: 'ada@example.com', password: PASSWORD, name: 'Ada' };
    const replies = [
      await page.post('/auth/sign-up/email', body),
      await newPage(cloud.url).signIn(body.email),
      await page.get('/auth/get-session'),
      await page.get('/auth/sessions'),
    ];
    const { rows } = await sql<{ token: string }>`select token from session`.execute(cloud.db);
    expect(rows).toHaveLength(2);
    for (const reply of replies)
      for (const { token } of rows) expect(JSON.stringify(reply.body)).not.toContain(token);
  });
});
