import { scryptSync } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { approveWaitlist, defaultConfig, waitlist } from '../src/index.ts';
import { testDatabaseUrl } from '../src/tables/postgres.fixture.ts';
import { putJson, testCloud } from './cloud.fixture.ts';
import { mailedLink, verifiedPage } from './page.fixture.ts';
import { cookiesOf, identityToken, newPerson } from './person.fixture.ts';

const PASSWORD = 'a long password';
const DAY_MS = 86_400_000;
const HEADERS = { 'content-type': 'application/json' };

const post = (url: string, path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...HEADERS, origin: url, ...headers },
    body: JSON.stringify(body),
    redirect: 'manual',
  });

const signIn = (url: string, email: string, password = PASSWORD, headers = {}) =>
  post(url, '/auth/sign-in/email', { email, password }, headers);

const sessionsOf = async (url: string, cookie: string) => {
  const response = await fetch(`${url}/auth/sessions`, { headers: { cookie } });
  const body = (await response.json()) as {
    sessions: { id: string; current: boolean; userAgent?: string }[];
  };
  return { status: response.status, text: JSON.stringify(body), ...body };
};

describe('sessions', () => {
  test('lists sessions without their secrets, and ends one chosen session or all other sessions', async () => {
    const { url } = await testCloud();
    const { email, cookie } = await newPerson(url);
    const [phone, tablet] = [
      cookiesOf(await signIn(url, email, PASSWORD, { 'user-agent': 'phone' })),
      cookiesOf(await signIn(url, email, PASSWORD, { 'user-agent': 'tablet' })),
    ];
    const listed = await sessionsOf(url, cookie);
    expect(listed.sessions).toHaveLength(3);
    expect(listed.sessions.filter(({ current }) => current)).toHaveLength(1);
    for (const each of [cookie, phone, tablet]) {
      const secret = decodeURIComponent(each.split('=')[1] ?? '').split('.')[0] ?? '';
      expect(secret).toMatch(/^[A-Za-z0-9]{32}$/);
      expect(listed.text).not.toContain(secret);
    }
    expect(new Set([cookie, phone, tablet]).size).toBe(3);
    const ofPhone = listed.sessions.find(({ userAgent }) => userAgent === 'phone');
    const end = (body: object) => post(url, '/auth/sessions/end', body, { cookie });
    expect((await end({ id: ofPhone?.id })).status).toBe(200);
    expect((await sessionsOf(url, phone)).status).toBe(401);
    expect((await sessionsOf(url, tablet)).sessions).toHaveLength(2);
    expect((await end({ id: ofPhone?.id })).status).toBe(404);
    expect((await end({ others: true })).status).toBe(200);
    expect((await sessionsOf(url, tablet)).status).toBe(401);
    expect((await sessionsOf(url, cookie)).sessions).toHaveLength(1);
    expect((await end({})).status).toBe(400);
    const account = (headers: Record<string, string>) => fetch(`${url}/auth/account`, { headers });
    expect(await (await account({ cookie })).json()).toEqual({ password: true });
    expect((await account({})).status).toBe(401);
  });

  test('keeps one session per browser: a second sign-in invalidates the previous session', async () => {
    const { url } = await testCloud();
    const { email, cookie } = await newPerson(url);
    const again = cookiesOf(await signIn(url, email, PASSWORD, { cookie }));
    expect((await sessionsOf(url, again)).sessions).toHaveLength(1);
    expect((await sessionsOf(url, cookie)).status).toBe(401);
    expect((await signIn(url, email, 'not the password', { cookie: again })).status).toBe(401);
    expect((await sessionsOf(url, again)).status).toBe(200);
  });

  test('[S1] shows and ends no sessions of other users', async () => {
    const { url } = await testCloud();
    const [ada, eve] = [await newPerson(url, 'ada'), await newPerson(url, 'eve')];
    const [own] = (await sessionsOf(url, ada.cookie)).sessions;
    expect((await post(url, '/auth/sessions/end', { id: own?.id }, { cookie: eve.cookie })).status).toBe(404);
    expect((await post(url, '/auth/sessions/end', { id: own?.id })).status).toBe(401);
    expect((await sessionsOf(url, ada.cookie)).sessions).toHaveLength(1);
  });

  test('[S13] ends no session for a page of another origin', async () => {
    const { url } = await testCloud();
    const { cookie } = await newPerson(url);
    const foreign = { cookie, origin: 'https://evil.example' };
    expect((await post(url, '/auth/sessions/end', { others: true }, foreign)).status).toBe(403);
  });
});

describe('passwords', () => {
  test('changes a password for a caller who knows it, ends all other sessions, and renews this session', async () => {
    const { url } = await testCloud();
    const { email, cookie } = await newPerson(url);
    const other = cookiesOf(await signIn(url, email));
    const change = (currentPassword: string, newPassword: string) =>
      post(
        url,
        '/auth/change-password',
        { currentPassword, newPassword, revokeOtherSessions: true },
        { cookie },
      );
    expect((await change('not the password', 'another long password')).status).toBe(400);
    for (const easy of ['password1234', 'ada-ada-1']) expect((await change(PASSWORD, easy)).status).toBe(400);
    expect((await sessionsOf(url, other)).status).toBe(200);
    const changed = await change(PASSWORD, 'another long password');
    expect(changed.status).toBe(200);
    for (const before of [cookie, other]) expect((await sessionsOf(url, before)).status).toBe(401);
    expect((await sessionsOf(url, cookiesOf(changed))).sessions).toHaveLength(1);
    expect((await signIn(url, email)).status).toBe(401);
    expect((await signIn(url, email, 'another long password')).status).toBe(200);
  });

  test('compares every character of a password, and stores only its scrypt hash', async () => {
    const { url, db } = await testCloud();
    const password = `${'nur kleine buchstaben '.repeat(11)}das ist 256`.padEnd(256, '.');
    const email = 'ada@example.com';
    expect((await post(url, '/auth/sign-up/email', { email, password, name: 'A' })).status).toBe(200);
    for (const wrong of [password.slice(0, -1), password.slice(0, 72), password.toUpperCase()])
      expect((await signIn(url, email, wrong)).status).toBe(401);
    // The password works, however old it is.
    const longAgo = new Date(0).toISOString();
    await sql`update account set "createdAt" = ${longAgo}, "updatedAt" = ${longAgo}`.execute(db);
    expect((await signIn(url, email, password)).status).toBe(200);
    const { rows } = await sql<{ password: string }>`select password from account`.execute(db);
    const [, salt = '', key = ''] =
      /^scrypt:16384:8:5:([0-9a-f]{32}):(.*)$/.exec(rows[0]?.password ?? '') ?? [];
    expect(scryptSync(password, salt, 64, { N: 16_384, r: 8, p: 5 }).toString('hex')).toBe(key);
  });

  test('ends a session that is unused for seven days, and extends a session that is used', async () => {
    const { url, db } = await testCloud();
    const { cookie } = await newPerson(url);
    const endsInDays = async () => {
      const { rows } = await sql<{ expiresAt: string }>`select "expiresAt" from session`.execute(db);
      return (new Date(rows[0]?.expiresAt ?? 0).getTime() - Date.now()) / DAY_MS;
    };
    const endIn = (days: number) =>
      sql`update session set "expiresAt" = ${new Date(Date.now() + days * DAY_MS).toISOString()}`.execute(db);
    expect(await endsInDays()).toBeCloseTo(7, 1);
    await endIn(5);
    await fetch(`${url}/auth/get-session`, { headers: { cookie } });
    expect(await endsInDays()).toBeCloseTo(7, 1);
    await endIn(-0.001);
    expect((await fetch(`${url}/auth/token`, { headers: { cookie } })).status).toBe(401);
    expect((await sessionsOf(url, cookie)).status).toBe(401);
  });
});

describe('without the password', () => {
  test('[S4] signs in once with a mailed link, and marks the address as verified', async () => {
    const cloud = await testCloud();
    const { url, data } = cloud;
    await newPerson(url);
    expect(
      (await post(url, '/auth/sign-in/magic-link', { email: 'ada@example.com', callbackURL: '/fp/cloud' }))
        .status,
    ).toBe(200);
    const link = await mailedLink(data, 'Your sign-in link');
    const opened = await fetch(link, { redirect: 'manual' });
    expect(opened.status).toBe(302);
    expect(new URL(opened.headers.get('location') ?? '', url).pathname).toBe('/fp/cloud');
    const token = await identityToken(url, cookiesOf(opened));
    const { body } = await putJson(`${url}/api`, {
      type: 'reqEnsureUser',
      auth: { type: 'fixpoint', token },
    });
    expect(body.user.byProviders[0].params.email_verified).toBe(true);
    const again = await fetch(link, { redirect: 'manual' });
    expect(again.headers.getSetCookie()).toEqual([]);
  });

  test("[S4] ends the access of a person who signed up with somebody else's address, once the owner of the address signs in", async () => {
    const { url, data } = await testCloud();
    const thief = await newPerson(url, 'ada');
    await post(url, '/auth/sign-in/magic-link', { email: 'ada@example.com', callbackURL: '/' });
    await fetch(await mailedLink(data, 'Your sign-in link'), { redirect: 'manual' });
    expect((await sessionsOf(url, thief.cookie)).status).toBe(401);
    expect((await signIn(url, 'ada@example.com')).status).toBe(401);
  });

  test('[S4] resets a password once with a mailed link, ends all sessions, and invalidates the old password', async () => {
    const { url, data } = await testCloud();
    const { email, cookie } = await newPerson(url);
    expect((await post(url, '/auth/request-password-reset', { email })).status).toBe(200);
    const link = new URL(await mailedLink(data, 'Choose a new password'));
    expect(link.pathname).toBe('/login');
    const reset = { token: link.searchParams.get('reset'), newPassword: 'another long password' };
    for (const newPassword of ['password1234', 'ada-ada-1'])
      expect((await post(url, '/auth/reset-password', { ...reset, newPassword })).status).toBe(400);
    expect((await post(url, '/auth/reset-password', reset)).status).toBe(200);
    expect((await post(url, '/auth/reset-password', reset)).status).toBe(400);
    expect((await sessionsOf(url, cookie)).status).toBe(401);
    expect((await signIn(url, email)).status).toBe(401);
    expect((await signIn(url, email, reset.newPassword)).status).toBe(200);
  });

  const askForReset = async (url: string, data: string, email: string) => {
    expect((await post(url, '/auth/request-password-reset', { email })).status).toBe(200);
    const link = new URL(await mailedLink(data, 'Choose a new password', email));
    return { token: link.searchParams.get('reset'), newPassword: 'another long password' };
  };
  const openLink = async (url: string, data: string, email: string) => {
    await post(url, '/auth/sign-in/magic-link', { email, callbackURL: '/' });
    return fetch(await mailedLink(data, 'Your sign-in link', email), { redirect: 'manual' });
  };

  test('[S4] expires a mailed link after its lifetime, and keeps its secret out of the database', async () => {
    const { url, data, db } = await testCloud();
    const { email } = await newPerson(url);
    await post(url, '/auth/sign-in/magic-link', { email, callbackURL: '/' });
    const link = await mailedLink(data, 'Your sign-in link', email);
    const reset = await askForReset(url, data, email);
    const { rows } = await sql<{ expiresAt: string | Date }>`
      select * from verification order by "expiresAt"`.execute(db);
    for (const secret of [new URL(link).searchParams.get('token'), reset.token]) {
      expect(secret?.length).toBeGreaterThan(20);
      expect(JSON.stringify(rows)).not.toContain(secret);
    }
    const minutes = rows.map(({ expiresAt }) => (new Date(expiresAt).getTime() - Date.now()) / 60_000);
    expect(minutes).toHaveLength(2);
    expect(minutes[0]).toBeLessThanOrEqual(5);
    expect(minutes[1]).toBeLessThanOrEqual(60);
    await sql`update verification set "expiresAt" = ${new Date(Date.now() - 1000).toISOString()}`.execute(db);
    expect((await fetch(link, { redirect: 'manual' })).headers.getSetCookie()).toEqual([]);
    expect((await post(url, '/auth/reset-password', reset)).status).toBe(400);
    expect((await signIn(url, email)).status).toBe(200);
  });

  test('verifies the address when a user chooses a password with a mailed link, and keeps that password after a sign-in link', async () => {
    const { url, data } = await testCloud();
    const { email } = await newPerson(url);
    const reset = await askForReset(url, data, email);
    expect((await post(url, '/auth/reset-password', reset)).status).toBe(200);
    const token = await identityToken(url, cookiesOf(await signIn(url, email, reset.newPassword)));
    const { body } = await putJson(`${url}/api`, {
      type: 'reqEnsureUser',
      auth: { type: 'fixpoint', token },
    });
    expect(body.user.byProviders[0].params.email_verified).toBe(true);
    expect(cookiesOf(await openLink(url, data, email))).not.toBe('');
    expect((await signIn(url, email, reset.newPassword)).status).toBe(200);
  });

  test.each(['chooses a password', 'opens a sign-in link'] as const)(
    "[S4] ends all access that a stranger got with somebody else's address when its owner %s",
    async (proof) => {
      const { url, data } = await testCloud();
      const thief = await newPerson(url, 'ada');
      const { tenant } = await thief.ask('reqCreateTenant', { tenant: { name: 'Trap' } });
      await thief.ask('reqCreateLedger', { ledger: { tenantId: tenant.tenantId, name: 'notes' } });
      const api = (type: string, payload: object) => putJson(`${url}/api`, { type, ...payload });
      const approved = async () => {
        const { deviceCode, userCode } = (await api('reqStartLogin', { client: 'cli' })).body;
        await thief.ask('reqDecideLogin', { userCode, approve: true });
        return deviceCode as string;
      };
      const program = await thief.ask('reqCreateApiToken', { tenantId: tenant.tenantId, name: 'ci' });
      const device = (await api('reqPollLogin', { deviceCode: await approved() })).body;
      const waiting = await approved();
      const { token: cloudToken } = await thief.ask('reqCloudSessionToken');
      const tokens = [program.token, device.token];
      const byTokens = () =>
        Promise.all(
          tokens.map(async (token) => {
            const auth = { type: 'api-token', token };
            return (await api('reqListTenantsByUser', { auth })).status;
          }),
        );
      const extend = async () => (await api('reqExtendToken', { token: cloudToken })).status;
      expect([...(await byTokens()), await extend()]).toEqual([200, 200, 200]);

      const { email } = thief;
      const reset = await askForReset(url, data, email);
      const came =
        proof === 'chooses a password'
          ? await post(url, '/auth/reset-password', reset).then(() => signIn(url, email, reset.newPassword))
          : await openLink(url, data, email);

      expect((await sessionsOf(url, thief.cookie)).status).toBe(401);
      expect((await signIn(url, email)).status).toBe(401);
      expect((await thief.send('reqCreateApiToken', { tenantId: tenant.tenantId, name: 'x' })).status).toBe(
        401,
      );
      expect([...(await byTokens()), await extend()]).toEqual([401, 401, 401]);
      expect((await api('reqPollLogin', { deviceCode: waiting })).body).toMatchObject({ status: 'expired' });
      const auth = { type: 'fixpoint', token: await identityToken(url, cookiesOf(came)) };
      const { body } = await api('reqEnsureUser', { auth });
      expect(body).toMatchObject({
        user: { userId: thief.userId, byProviders: [{ params: { email_verified: true } }] },
        tenants: [{ tenantId: tenant.tenantId }],
      });
    },
  );

  test('[S4] revokes devices, API tokens and cloud tokens when a verified user resets their password', async () => {
    const cloud = await testCloud();
    const { url, data } = cloud;
    const { email, token: ownToken } = await verifiedPage(cloud);
    const api = (type: string, payload: object) => putJson(`${url}/api`, { type, ...payload });
    const auth = { type: 'fixpoint', token: await ownToken() };
    await api('reqEnsureUser', { auth });
    const { tenant } = (await api('reqCreateTenant', { auth, tenant: { name: 'Acme' } })).body;
    const program = await api('reqCreateApiToken', { auth, tenantId: tenant.tenantId, name: 'ci' });
    const { deviceCode, userCode } = (await api('reqStartLogin', { client: 'cli' })).body;
    await api('reqDecideLogin', { auth, userCode, approve: true });
    const device = await api('reqPollLogin', { deviceCode });
    const cloudToken = (await api('reqCloudSessionToken', { auth })).body.token;
    await post(url, '/auth/reset-password', await askForReset(url, data, email));
    const listed = async (token: string) =>
      (await api('reqListTenantsByUser', { auth: { type: 'api-token', token } })).status;
    expect(await listed(program.body.token)).toBe(401);
    expect(await listed(device.body.token)).toBe(401);
    expect((await api('reqListTenantsByUser', { auth })).status).toBe(401);
    expect((await api('reqExtendToken', { token: cloudToken })).status).toBe(401);
  });

  test('[S1] answers a password reset for an unknown address like any other, but sends that address no mail', async () => {
    const { url, data } = await testCloud({ signUp: 'open' });
    await newPerson(url);
    const answers = await Promise.all(
      ['ada@example.com', 'nobody@example.com'].map(async (email) => {
        const response = await post(url, '/auth/request-password-reset', { email });
        return { status: response.status, body: await response.text() };
      }),
    );
    expect(answers[1]).toEqual(answers[0]);
    await mailedLink(data, 'Choose a new password');
    const mails = await readdir(join(data, 'outbox'));
    const texts = await Promise.all(mails.map((file) => readFile(join(data, 'outbox', file), 'utf8')));
    expect(texts.join()).not.toContain('nobody@example.com');
  });

  test('[S7] mails at most three sign-in links in ten minutes, whatever sender the headers claim', async () => {
    const { url } = await testCloud();
    const statuses: number[] = [];
    for (let index = 0; index < 5; index += 1) {
      const forged = {
        'x-forwarded-for': `10.1.1.${index}`,
        'x-real-ip': `10.1.2.${index}`,
        forwarded: `for=10.1.3.${index}`,
      };
      const body = { email: 'ada@example.com', callbackURL: '/' };
      statuses.push((await post(url, '/auth/sign-in/magic-link', body, forged)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
  });
});

describe('SIGNUP', () => {
  const waits = { status: 'inactive', statusReason: 'waitlist' };

  test('waitlist: keeps a new user without rights until an operator approves them', async () => {
    const cloud = await testCloud({ signUp: 'waitlist' });
    const { url, data } = cloud;
    const [ada, bob] = [await newPerson(url, 'ada'), await newPerson(url, 'bob')];
    expect((await ada.ask('reqEnsureUser')).user).toMatchObject(waits);
    expect(await ada.send('reqCreateTenant', { tenant: { name: 'Acme' } })).toMatchObject({
      status: 403,
      body: { code: 'WAITLISTED' },
    });
    const databaseUrl = await testDatabaseUrl(data);
    const config = { ...defaultConfig(data), databaseUrl, signUp: 'waitlist' as const };
    expect((await waitlist(config)).map(({ email }) => email)).toEqual([
      'ada@example.com',
      'bob@example.com',
    ]);
    await expect(approveWaitlist(config, ['ADA@example.com', 'nobody@example.com'])).rejects.toThrow(
      'Not found: nobody@example.com is not on the waitlist',
    );
    expect((await ada.ask('reqEnsureUser')).user).toMatchObject(waits);
    const approved = await approveWaitlist(config, ['ADA@example.com']);
    expect(approved.map(({ userId }) => userId)).toEqual([ada.userId]);
    expect((await ada.ask('reqEnsureUser')).user).toMatchObject({ status: 'active' });
    await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
    expect(await mailedLink(data, 'Your account was approved')).toContain('/fp/cloud');
    expect((await bob.ask('reqEnsureUser')).user).toMatchObject(waits);
    expect((await approveWaitlist(config, undefined)).map(({ userId }) => userId)).toEqual([bob.userId]);
    expect(await waitlist(config)).toEqual([]);
  });

  test('waitlist: keeps an invite pending while the invited user is on the waitlist', async () => {
    const cloud = await testCloud();
    const ada = await newPerson(cloud.url, 'ada');
    const { tenant } = await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
    const invitedParams = { tenant: { id: tenant.tenantId } };
    await ada.ask('reqInviteUser', { ticket: { query: { byEmail: 'bob@example.com' }, invitedParams } });
    const { data } = cloud;
    await cloud.stop();
    const { url } = await testCloud({ data, signUp: 'waitlist' });
    const bob = await newPerson(url, 'bob');
    const cookie = cookiesOf(await fetch(await mailedLink(data, 'Verify your email address')));
    expect(cookie).toBe('');
    const token = await identityToken(url, bob.cookie);
    const auth = { type: 'fixpoint', token };
    const redeem = async () => putJson(`${url}/api`, { type: 'reqRedeemInvite', auth });
    expect(await redeem()).toMatchObject({ status: 403, body: { code: 'WAITLISTED' } });
    const databaseUrl = await testDatabaseUrl(data);
    await approveWaitlist({ ...defaultConfig(data), databaseUrl, signUp: 'waitlist' }, undefined);
    expect((await redeem()).body.invites).toMatchObject([
      { invitedParams: { tenant: { id: tenant.tenantId } } },
    ]);
  });

  test('closed: admits no new user, neither with a password nor with a mailed link', async () => {
    const { url, data } = await testCloud({ signUp: 'closed' });
    const body = { email: 'eve@example.com', password: PASSWORD, name: 'Eve' };
    expect((await post(url, '/auth/sign-up/email', body)).status).toBe(400);
    await post(url, '/auth/sign-in/magic-link', { email: body.email, callbackURL: '/' });
    const opened = await fetch(await mailedLink(data, 'Your sign-in link'), { redirect: 'manual' });
    expect(opened.headers.getSetCookie()).toEqual([]);
  });
});
