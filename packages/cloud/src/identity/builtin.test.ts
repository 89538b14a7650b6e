import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openTestDatabase, temporaryFolder } from '../admin/admin.fixture.ts';
import { outboxMailer } from '../mail/outbox.ts';
import type { Db } from '../tables/database.ts';
import { testDatabaseKind } from '../tables/postgres.fixture.ts';
import { type AuthSecrets, type BuiltinParts, builtinIdentity } from './builtin.ts';

const URL_OF_SERVER = 'http://localhost:7370';
const PASSWORD = 'correct horse';
const SECRETS: AuthSecrets = [{ version: 1, value: 'first secret, of at least 32 characters' }];

interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by tests that say what they expect
  readonly body: any;
  readonly headers: Headers;
}

/** A browser: it keeps cookies, and says where its page is from. */
function browserFor(handle: (request: Request, ip: string) => Promise<Response>, ip = '10.0.0.1') {
  const cookies = new Map<string, string>();
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const request = new Request(`${URL_OF_SERVER}${path}`, {
      method,
      headers: {
        origin: URL_OF_SERVER,
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const response = await handle(request, ip);
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    };
  };
  return {
    cookies,
    send,
    get: (path: string, headers?: Record<string, string>) => send('GET', path, undefined, headers),
    post: (path: string, body: unknown, headers?: Record<string, string>) =>
      send('POST', path, body, headers),
  };
}

/** What the slow one costs is no matter of these tests. */
const cheap = {
  hash: async (password: string) => createHash('sha256').update(password).digest('hex'),
  verify: async (tried: { hash: string; password: string }) =>
    (await cheap.hash(tried.password)) === tried.hash,
};

async function openIdentity(overrides: Partial<BuiltinParts> = {}) {
  const outbox = join(temporaryFolder(), 'outbox');
  const noted: unknown[] = [];
  const faults: unknown[] = [];
  const events: unknown[] = [];
  const clock = { aheadMs: 0 };
  const now = () => Date.now() + clock.aheadMs;
  const db = overrides.db ?? (await openTestDatabase());
  const identity = await builtinIdentity({
    database: testDatabaseKind,
    db,
    publicUrl: URL_OF_SERVER,
    basePath: '',
    secrets: SECRETS,
    mailer: outboxMailer(outbox, now, (mail) => void noted.push(mail)),
    signUp: 'open',
    secondFactor: 'optional',
    sessionDaysMax: 30,
    password: cheap,
    now,
    note: (event) => void events.push(event),
    report: (error) => void faults.push(error),
    ...overrides,
  });
  const mails = () => readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
  const browser = (ip?: string) => browserFor(identity.handle, ip);
  const signUp = async (email = 'ada@example.com', more: object = {}) => {
    const page = browser();
    const reply = await page.post('/auth/sign-up/email', { email, password: PASSWORD, name: 'Ada', ...more });
    expect(reply.status, JSON.stringify(reply.body)).toBe(200);
    return page;
  };
  const tokenOf = async (page: ReturnType<typeof browserFor>): Promise<string> =>
    (await page.get('/auth/token')).body.token;
  return { identity, db, clock, browser, signUp, tokenOf, mails, noted, faults, events };
}

const usersIn = async (db: Db) =>
  (await sql<Record<string, unknown>>`select * from "user" order by email`.execute(db)).rows;

describe('built-in identity', () => {
  test('a new user is signed in and active at once, with a cookie that no script can read', async () => {
    const { browser, identity, tokenOf } = await openIdentity();
    const page = browser();
    const reply = await page.post('/auth/sign-up/email', {
      email: 'Ada@Example.com',
      password: PASSWORD,
      name: 'Ada',
    });
    expect(reply.status).toBe(200);
    const [cookie = ''] = reply.headers.getSetCookie();
    expect(cookie).toMatch(/^fixpoint\.session_token=/);
    expect(cookie).toMatch(/HttpOnly/i);
    expect(cookie).toMatch(/SameSite=Lax/i);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect((await page.get('/auth/get-session')).body.user).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada',
    });
    const person = await identity.verify(await tokenOf(page));
    expect(person).toMatchObject({
      provider: 'fixpoint',
      email: 'ada@example.com',
      emailVerified: false,
      name: 'Ada',
    });
    expect(person.providerUserId).not.toBe('');
  });

  test('signing out ends the session, signing in makes another', async () => {
    const { signUp, browser, identity, tokenOf } = await openIdentity();
    const page = await signUp();
    const before = await identity.verify(await tokenOf(page));
    expect((await page.post('/auth/sign-out', {})).status).toBe(200);
    expect((await page.get('/auth/token')).status).toBe(401);
    const other = browser();
    expect((await other.get('/auth/token')).status).toBe(401);
    const wrong = { email: 'ada@example.com', password: 'wrong password' };
    expect((await other.post('/auth/sign-in/email', wrong)).status).toBe(401);
    expect((await other.post('/auth/sign-in/email', { ...wrong, password: PASSWORD })).status).toBe(200);
    expect(await identity.verify(await tokenOf(other))).toEqual(before);
  });

  test('a stolen cookie of a session that was ended is worth nothing', async () => {
    const { signUp, browser } = await openIdentity();
    const page = await signUp();
    const thief = browser();
    for (const [name, value] of page.cookies) thief.cookies.set(name, value);
    expect((await thief.get('/auth/token')).status).toBe(200);
    await page.post('/auth/sign-out', {});
    expect((await thief.get('/auth/token')).status).toBe(401);
  });

  test('a password has eight characters at least, an address is used once', async () => {
    const { signUp, browser, db } = await openIdentity();
    await signUp();
    const page = browser();
    const refused = async (body: object) => {
      const given = { email: 'new@example.com', password: PASSWORD, name: 'N', ...body };
      return (await page.post('/auth/sign-up/email', given)).status;
    };
    expect(await refused({ password: '1234567' })).toBe(400);
    expect(await refused({ password: 'x'.repeat(257) })).toBe(400);
    expect(await refused({ email: 'nobody' })).toBe(400);
    expect(await refused({ email: 'ADA@example.com' })).toBe(422);
    expect(await usersIn(db)).toHaveLength(1);
  });

  test('[2.4] the opt-in and the ad-click id of the sign-up are stored', async () => {
    const { signUp, db } = await openIdentity();
    await signUp('ada@example.com', { emailOptIn: true, adClickId: 'click-7' });
    await signUp('bob@example.com');
    expect(await usersIn(db)).toMatchObject([
      {
        email: 'ada@example.com',
        emailOptIn: testDatabaseKind === 'sqlite' ? 1 : true,
        adClickId: 'click-7',
      },
      { email: 'bob@example.com', emailOptIn: null, adClickId: null },
    ]);
  });

  test('[S6] nobody signs up with a verified address or a role that he gives himself', async () => {
    const { signUp, identity, tokenOf } = await openIdentity();
    const page = await signUp('ada@example.com', { emailVerified: true, id: 'chosen', role: 'admin' });
    const person = await identity.verify(await tokenOf(page));
    expect(person.emailVerified).toBe(false);
    expect(person.providerUserId).not.toBe('chosen');
  });

  test('a closed server takes no sign-ups, and lets its users in', async () => {
    const { db, signUp } = await openIdentity();
    await signUp();
    const { browser } = await openIdentity({ db, signUp: 'closed' });
    const body = { email: 'eve@example.com', password: PASSWORD, name: 'Eve' };
    expect((await browser().post('/auth/sign-up/email', body)).status).toBe(400);
    expect((await browser().post('/auth/sign-in/email', { ...body, email: 'ada@example.com' })).status).toBe(
      200,
    );
  });
});

describe('the cookie of the session', () => {
  const cookieOf = async (publicUrl: string, basePath: string) => {
    const { identity } = await openIdentity({ publicUrl, basePath });
    const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD, name: 'Ada' });
    const headers = { 'content-type': 'application/json', origin: publicUrl };
    const signUp = new Request(`${publicUrl}/auth/sign-up/email`, { method: 'POST', headers, body });
    const response = await identity.handle(signUp, '10.0.0.1');
    const [line = ''] = response.headers.getSetCookie();
    const cookie = line.split(';')[0] ?? '';
    const asked = await identity.handle(new Request(`${publicUrl}/auth/token`, { headers: { cookie } }), '');
    return { line, status: asked.status };
  };

  test('over https at the root of a host no other host can set it', async () => {
    const { line, status } = await cookieOf('https://fixpoint.example', '');
    expect(line).toMatch(/^__Host-fixpoint\.session_token=/);
    expect(line).toMatch(/; Path=\/;/);
    expect(line).toMatch(/; Secure/);
    expect(line).not.toMatch(/Domain/i);
    expect(status).toBe(200);
  });

  test('below a path it stays there; on this machine it has neither prefix', async () => {
    const below = await cookieOf('https://fixpoint.example', '/notes');
    expect(below.line).toMatch(/^__Secure-fixpoint\.session_token=.*; Path=\/notes;.*; Secure/);
    const here = await cookieOf(URL_OF_SERVER, '');
    expect(here.line).toMatch(/^fixpoint\.session_token=/);
    expect(here.line).not.toMatch(/Secure/);
    expect([below.status, here.status]).toEqual([200, 200]);
  });
});

describe('below a path that a proxy adds', () => {
  const linkIn = (mail = '') => new URL(/https:\/\/\S+/.exec(mail)?.[0] ?? '');
  const base = { publicUrl: 'https://fixpoint.example', basePath: '/notes' };

  test.each(['/fp/cloud', '/notes/fp/cloud'])('a mailed link leads there from %s', async (callbackURL) => {
    const { identity, mails } = await openIdentity(base);
    const ask = (path: string, body?: object) =>
      identity.handle(
        new Request(`${base.publicUrl}${path}`, {
          method: body ? 'POST' : 'GET',
          headers: { 'content-type': 'application/json', origin: base.publicUrl },
          ...(body && { body: JSON.stringify(body) }),
        }),
        '10.0.0.1',
      );
    await ask('/auth/sign-in/magic-link', { email: 'ada@example.com', callbackURL });
    const link = linkIn(mails()[0]);
    expect(link.pathname).toBe('/notes/auth/magic-link/verify');
    const opened = await ask(`${link.pathname.slice('/notes'.length)}${link.search}`);
    expect(opened.headers.get('location')).toBe('https://fixpoint.example/notes/fp/cloud');
    expect(opened.headers.getSetCookie().join()).toContain('session_token');
  });
});

describe('verifying an address', () => {
  const linkIn = (mail = '') => /http:\/\/\S+/.exec(mail)?.[0].replace(URL_OF_SERVER, '') ?? '';

  test('the link in the mail verifies; the next token says so', async () => {
    const { signUp, mails, identity, tokenOf, browser } = await openIdentity();
    const page = await signUp();
    const [mail] = mails();
    expect(mail).toMatch(/^To: ada@example\.com\nSubject: Verify your email address\n/);
    const link = linkIn(mail);
    expect(link).toMatch(/^\/auth\/verify-email\?token=/);
    const reply = await browser().get(link);
    expect([reply.status, reply.headers.get('location')]).toEqual([302, '/']);
    expect((await identity.verify(await tokenOf(page))).emailVerified).toBe(true);
  });

  test('[S4] a link that was changed verifies nothing; one that was used may be opened again', async () => {
    const { signUp, mails, identity, tokenOf, browser } = await openIdentity();
    const page = await signUp();
    const link = linkIn(mails()[0]);
    for (const wrong of [
      link.replace('token=', 'token=x'),
      '/auth/verify-email?token=',
      '/auth/verify-email',
    ])
      await browser().get(wrong);
    expect((await identity.verify(await tokenOf(page))).emailVerified).toBe(false);
    await browser().get(link);
    expect((await browser().get(link)).status).toBe(302);
  });

  test('[S11] the link leads to no other origin', async () => {
    const { signUp, mails, browser } = await openIdentity();
    await signUp();
    const link = linkIn(mails()[0]);
    for (const evil of ['https://evil.example', '//evil.example', '/\\evil.example', 'javascript:alert(1)']) {
      const reply = await browser().get(
        link.replace('callbackURL=%2F', `callbackURL=${encodeURIComponent(evil)}`),
      );
      expect(reply.status, evil).toBe(403);
    }
  });

  test('the link can be asked for again, not often', async () => {
    const { signUp, mails } = await openIdentity();
    const page = await signUp();
    const again = () => page.post('/auth/send-verification-email', { email: 'ada@example.com' });
    for (let i = 0; i < 3; i += 1) expect((await again()).status).toBe(200);
    expect((await again()).status).toBe(429);
    expect(mails()).toHaveLength(4);
  });

  test('[S15] what is noted of a mail has no link in it', async () => {
    const { signUp, noted, mails } = await openIdentity();
    await signUp();
    expect(noted).toEqual([
      { subject: 'Verify your email address', file: expect.stringMatching(/outbox.*\.eml$/) },
    ]);
    const token = /token=([^&]+)/.exec(mails()[0] ?? '')?.[1] ?? '';
    expect(token.length).toBeGreaterThan(20);
    expect(JSON.stringify(noted)).not.toContain(token);
  });

  test('a mail that cannot be sent is reported, and stops no sign-up', async () => {
    const mailer = { send: () => Promise.reject(new Error('no mail today')) };
    const { signUp, faults } = await openIdentity({ mailer });
    await signUp();
    expect(faults).toMatchObject([{ message: 'no mail today' }]);
  });
});

describe('[S7] the door', () => {
  test('a password is tried five times in a minute; an account elsewhere is not locked by it', async () => {
    const { signUp, browser } = await openIdentity();
    await signUp();
    const attempt = (ip: string, password: string, headers = {}) =>
      browser(ip).post('/auth/sign-in/email', { email: 'ada@example.com', password }, headers);
    for (let i = 0; i < 5; i += 1) expect((await attempt('10.0.0.9', 'wrong pass')).status).toBe(401);
    const refused = await attempt('10.0.0.9', PASSWORD);
    expect(refused).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect((await attempt('10.0.0.8', PASSWORD)).status).toBe(200);
  });

  test('attempts at many accounts from one address are counted together', async () => {
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

  test('who signs in rightly is never refused for doing it often', async () => {
    const { signUp, browser } = await openIdentity();
    await signUp();
    for (let i = 0; i < 8; i += 1) {
      const body = { email: 'ada@example.com', password: PASSWORD };
      expect((await browser().post('/auth/sign-in/email', body)).status).toBe(200);
    }
  });

  test('no header says where a request is from', async () => {
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

  test('the address of the socket is what sessions remember', async () => {
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
  ])('%s %s is not there', async (method, path) => {
    const { signUp } = await openIdentity();
    const reply = await (await signUp()).send(method, path, method === 'GET' ? undefined : {});
    expect(reply).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  });

  test('[S13] a body is small, whole and JSON', async () => {
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

  test('[S13] a page of another origin can do nothing with the cookie', async () => {
    const { signUp } = await openIdentity();
    const page = await signUp();
    expect((await page.post('/auth/sign-out', {}, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await page.get('/auth/token')).status).toBe(200);
  });

  test('on this machine both names of it are the own origin', async () => {
    const { signUp } = await openIdentity();
    const page = await signUp();
    expect((await page.post('/auth/sign-out', {}, { origin: 'http://127.0.0.1:7370' })).status).toBe(200);
  });
});

describe('[S15] what is noted of attempts', () => {
  test('each attempt to come in, by route, outcome and address; no name, password or token', async () => {
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

describe('identity tokens', () => {
  test('are good for five minutes', async () => {
    const { signUp, tokenOf, identity, clock } = await openIdentity();
    const token = await tokenOf(await signUp());
    clock.aheadMs = 4 * 60_000;
    await identity.verify(token);
    clock.aheadMs = 6 * 60_000;
    await expect(identity.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('[S1] of another server, changed, or no tokens at all are refused', async () => {
    const { signUp, tokenOf, identity } = await openIdentity();
    const token = await tokenOf(await signUp());
    const [head = '', body = '', signature = ''] = token.split('.');
    const elsewhere = await openIdentity();
    const foreign = await elsewhere.tokenOf(await elsewhere.signUp());
    const admin = Buffer.from(
      JSON.stringify({ ...JSON.parse(Buffer.from(body, 'base64url').toString()), sub: 'other' }),
    ).toString('base64url');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const wrong of [
      '',
      'x',
      foreign,
      `${head}.${admin}.${signature}`,
      `${none}.${body}.`,
      `${head}.${body}.`,
    ])
      await expect(identity.verify(wrong), wrong).rejects.toMatchObject({
        code: 'NOT_SIGNED_IN',
        message: 'not signed in',
      });
  });

  test('[S1] of another address of the same server are refused: the issuer is checked', async () => {
    const { db, signUp, tokenOf } = await openIdentity();
    const token = await tokenOf(await signUp());
    const moved = await openIdentity({ db, publicUrl: 'https://fixpoint.example' });
    await expect(moved.identity.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('[S15] no answer but that of /auth/token holds one', async () => {
    const { signUp } = await openIdentity();
    const reply = await (await signUp()).get('/auth/get-session');
    expect(reply.headers.get('set-auth-jwt')).toBeNull();
  });

  test('a secret that was followed by another still opens what it made', async () => {
    const { db, signUp, tokenOf, identity } = await openIdentity();
    const page = await signUp();
    const before = await tokenOf(page);
    const next = { version: 2, value: 'second secret, of at least 32 characters' };
    const rotated = await openIdentity({ db, secrets: [next, ...SECRETS] });
    await rotated.identity.verify(before);
    const again = browserFor(rotated.identity.handle);
    const body = { email: 'ada@example.com', password: PASSWORD };
    expect((await again.post('/auth/sign-in/email', body)).status).toBe(200);
    await identity.verify(await rotated.tokenOf(again));
  });

  test('a secret that was lost signs everybody out, and no more than that', async () => {
    const { db, signUp, tokenOf } = await openIdentity();
    await tokenOf(await signUp());
    const other = [{ version: 1, value: 'another secret, of at least 32 characters' }];
    const { identity, browser, tokenOf: tokenNow } = await openIdentity({ db, secrets: other });
    const page = browser();
    const body = { email: 'ada@example.com', password: PASSWORD };
    expect((await page.post('/auth/sign-in/email', body)).status).toBe(200);
    expect(await identity.verify(await tokenNow(page))).toMatchObject({ email: 'ada@example.com' });
  });
});
