import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { browserFor, openIdentity, PASSWORD, usersIn } from './builtin.fixture.ts';
import { createDoor } from './door.ts';

describe('[S7] the door', () => {
  test('allows five tries of a password per minute and network, without locking the account for other networks', async () => {
    const { signUp, browser } = await openIdentity();
    await signUp();
    const attempt = (ip: string, password: string, headers = {}) =>
      browser(ip).post('/auth/sign-in/email', { email: 'ada@example.com', password }, headers);
    for (let i = 0; i < 5; i += 1) expect((await attempt('10.0.0.9', 'wrong pass')).status).toBe(401);
    const refused = await attempt('10.0.0.9', PASSWORD);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect((await attempt('10.0.0.8', PASSWORD)).status).toBe(200);
  });

  test('counts attempts at many accounts from one address together', async () => {
    const { browser } = await openIdentity();
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const body = { email: `user${i}@example.com`, password: 'wrong password' };
        return (await browser('10.0.0.7').post('/auth/sign-in/email', body)).status;
      }),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });

  test('counts all addresses of an IPv6 network as one, and all spellings of an IPv4 address as one', async () => {
    const { browser, signUp } = await openIdentity();
    await signUp();
    const attempt = async (ip: string) => {
      const body = { email: 'ada@example.com', password: 'wrong password' };
      const { status, headers } = await browser(ip).post('/auth/sign-in/email', body);
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      return status;
    };
    const inNetwork: number[] = [];
    for (let at = 0; at < 7; at += 1) inNetwork.push(await attempt(`2001:db8:1:2::${at + 1}`));
    expect(inNetwork).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect(await attempt('::ffff:192.0.2.9')).toBe(401);
    for (let at = 0; at < 4; at += 1) await attempt('192.0.2.9');
    expect(await attempt('::ffff:c000:209')).toBe(429);
  });

  test('limits attempts at one account from many networks, except from networks where it is signed in', async () => {
    const { browser, signUp, clock } = await openIdentity();
    const body = { email: 'ada@example.com', password: 'wrong password' };
    await signUp();
    const attempt = async (ip: string, password = body.password) =>
      (await browser(ip).post('/auth/sign-in/email', { ...body, password })).status;
    const statuses = await Promise.all(Array.from({ length: 80 }, (_, at) => attempt(`192.0.2.${at}`)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(50);
    expect(statuses.filter((status) => status === 429)).toHaveLength(30);
    // The account signed up from 10.0.0.1.
    expect(await attempt('10.0.0.1', PASSWORD)).toBe(200);
    expect(await attempt('198.51.100.1', PASSWORD)).toBe(429);
    clock.aheadMs += 61_000;
    expect(await attempt('198.51.100.1', PASSWORD)).toBe(200);
  });

  test('never limits successful sign-ins', async () => {
    const { signUp, browser } = await openIdentity();
    await signUp();
    for (let i = 0; i < 8; i += 1) {
      const body = { email: 'ada@example.com', password: PASSWORD };
      expect((await browser().post('/auth/sign-in/email', body)).status).toBe(200);
    }
  });

  test('ignores client addresses in headers', async () => {
    const { browser, signUp } = await openIdentity();
    await signUp();
    const statuses = [];
    for (let i = 0; i < 7; i += 1) {
      const headers = {
        'x-forwarded-for': `1.2.3.${i}`,
        'x-fp-client-ip': `1.2.3.${i}`,
        'x-real-ip': `1.2.3.${i}`,
      };
      const body = { email: 'ada@example.com', password: 'wrong password' };
      statuses.push((await browser().post('/auth/sign-in/email', body, headers)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  test('stores the address of the socket in sessions', async () => {
    const { db, identity } = await openIdentity();
    const page = browserFor(identity.handle, '10.9.8.7');
    const body = { email: 'ada@example.com', password: PASSWORD, name: 'Ada' };
    await page.post('/auth/sign-up/email', body, {
      'x-fp-client-ip': '6.6.6.6',
      'x-forwarded-for': '6.6.6.6',
    });
    const { rows } = await sql<{ ipAddress: string }>`select "ipAddress" from session`.execute(db);
    expect(rows).toEqual([{ ipAddress: '10.9.8.7' }]);
  });

  test.each([
    ['GET', '/auth/ok'],
    ['GET', '/auth/error'],
    ['POST', '/auth/delete-user'],
    ['POST', '/auth/update-user'],
    ['POST', '/auth/change-email'],
    ['GET', '/auth/list-sessions'],
    ['POST', '/auth/sign-in/social'],
    ['GET', '/auth/sign-in/email'],
    ['PUT', '/auth/sign-in/email'],
    ['POST', '/auth/token'],
    ['GET', '/auth/../auth/ok'],
    ['GET', '/auth/toString'],
    ['GET', '/auth/token/'],
  ])("%s %s doesn't exist", async (method, path) => {
    const { signUp } = await openIdentity();
    const reply = await (await signUp()).send(method, path, method === 'GET' ? undefined : {});
    expect(reply).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('[S13] accepts only small, complete JSON bodies', async () => {
    const { browser, db } = await openIdentity();
    const page = browser();
    const good = JSON.stringify({ email: 'ada@example.com', password: PASSWORD, name: 'Ada' });
    const refusals: [string, Record<string, string>][] = [
      [good, { 'content-type': 'text/plain' }],
      ['email=ada%40example.com&password=correct', { 'content-type': 'application/x-www-form-urlencoded' }],
      [good, { 'transfer-encoding': 'chunked' }],
      [good.slice(1), {}],
      [`{"email":"${'x'.repeat(20_000)}"}`, {}],
    ];
    for (const [body, headers] of refusals)
      expect(await page.post('/auth/sign-up/email', body, headers)).toMatchObject({
        status: 400,
        body: { code: 'REQUEST_INVALID' },
      });
    expect(await usersIn(db)).toEqual([]);
  });

  test('[S1] rejects ID tokens of providers, and drops fields that a route doesn’t list', async () => {
    const seen: unknown[] = [];
    const door = createDoor(
      async (request) => {
        seen.push(await request.json());
        return Response.json({});
      },
      { now: Date.now, isKnownNetwork: async () => false },
    );
    const page = browserFor(door);
    const social = { provider: 'oidc', callbackURL: '/', scopes: ['all'], loginHint: 'x' };
    const idToken = { token: 'x.y.z' };
    for (const body of [{ ...social, idToken }, { ...social, idToken: null }, [social], 'text', 7, null])
      expect(await page.post('/auth/sign-in/social', JSON.stringify(body))).toMatchObject({
        status: 400,
        body: { code: 'REQUEST_INVALID' },
      });
    expect(seen).toEqual([]);
    await page.post('/auth/sign-in/social', social);
    await page.post('/auth/sign-up/email', {
      email: 'a@b.example',
      password: PASSWORD,
      name: 'A',
      role: 'admin',
    });
    expect(seen).toEqual([
      { provider: 'oidc', callbackURL: '/' },
      { email: 'a@b.example', password: PASSWORD, name: 'A' },
    ]);
  });

  test('[S13] rejects requests with the cookie from pages of another origin', async () => {
    const { signUp } = await openIdentity();
    const page = await signUp();
    expect((await page.post('/auth/sign-out', {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await page.get('/auth/token')).status).toBe(200);
  });

  test('accepts both names of this machine as its origin', async () => {
    const { signUp } = await openIdentity();
    const page = await signUp();
    expect((await page.post('/auth/sign-out', {}, { origin: 'http://127.0.0.1:7370' })).status).toBe(200);
  });
});

describe('[S15] the log of attempts', () => {
  test('records each attempt to sign in by route, outcome and address, without name, password or token', async () => {
    const { browser, signUp, tokenOf, events } = await openIdentity();
    await tokenOf(await signUp());
    const canary = { email: 'canary@example.com', password: 'canary-password' };
    await browser('10.0.0.9').post('/auth/sign-in/email', canary);
    await browser().post('/auth/nothing', canary);
    expect(events).toEqual([
      { event: 'identity', route: '/auth/sign-up/email', status: 200, from: '10.0.0.1' },
      { event: 'identity', route: '/auth/sign-in/email', status: 401, from: '10.0.0.9' },
    ]);
  });
});
