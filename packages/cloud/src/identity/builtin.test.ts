import { describe, expect, test } from 'vitest';
import { testDatabaseKind } from '../tables/postgres.fixture.ts';
import { openIdentity, PASSWORD, usersIn } from './builtin.fixture.ts';

describe('built-in identity', () => {
  test('signs up a user who is active at once, with a cookie that no script can read', async () => {
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

  test('ends the session at sign-out, and starts another at sign-in', async () => {
    const { signUp, browser, identity, tokenOf } = await openIdentity();
    const page = await signUp();
    const token = await tokenOf(page);
    const before = await identity.verify(token);
    expect((await page.post('/auth/sign-out', {})).status).toBe(200);
    await expect(identity.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
    expect((await page.get('/auth/token')).status).toBe(401);
    const other = browser();
    expect((await other.get('/auth/token')).status).toBe(401);
    const wrong = { email: 'ada@example.com', password: 'wrong password' };
    expect((await other.post('/auth/sign-in/email', wrong)).status).toBe(401);
    expect((await other.post('/auth/sign-in/email', { ...wrong, password: PASSWORD })).status).toBe(200);
    expect(await identity.verify(await tokenOf(other))).toEqual({
      ...before,
      session: expect.any(String),
      confirmedAt: expect.any(Number),
    });
  });

  test('rejects a stolen cookie of a session that was ended', async () => {
    const { signUp, browser } = await openIdentity();
    const page = await signUp();
    const thief = browser();
    for (const [name, value] of page.cookies) thief.cookies.set(name, value);
    expect((await thief.get('/auth/token')).status).toBe(200);
    await page.post('/auth/sign-out', {});
    expect((await thief.get('/auth/token')).status).toBe(401);
  });

  test('rejects a password that is short, easy or too long, and an address that is invalid or taken', async () => {
    const { signUp, browser, db } = await openIdentity();
    await signUp();
    const page = browser();
    const refused = async (body: object) => {
      const given = { email: 'new@example.com', password: PASSWORD, name: 'N', ...body };
      return (await page.post('/auth/sign-up/email', given)).status;
    };
    expect(await refused({ password: 'x9$kLm2' })).toBe(400);
    expect(await refused({ password: 'password1234' })).toBe(400);
    expect(await refused({ password: 'Grace-Hopper-1', name: 'Grace Hopper' })).toBe(400);
    expect(await refused({ password: 'hopper99', email: 'hopper@example.com' })).toBe(400);
    expect(await refused({ password: 'x'.repeat(257) })).toBe(400);
    expect(await refused({ email: 'nobody' })).toBe(400);
    expect(await refused({ email: 'ADA@example.com' })).toBe(422);
    expect(await usersIn(db)).toHaveLength(1);
    expect(await refused({ password: 'x9$kLm2q' })).toBe(200);
  });

  test('[2.4] stores the opt-in and the ad-click id of the sign-up', async () => {
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

  test('[S6] ignores sign-up fields that claim a verified address, an id or a role', async () => {
    const { signUp, identity, tokenOf } = await openIdentity();
    const page = await signUp('ada@example.com', { emailVerified: true, id: 'chosen', role: 'admin' });
    const person = await identity.verify(await tokenOf(page));
    expect(person.emailVerified).toBe(false);
    expect(person.providerUserId).not.toBe('chosen');
  });

  test('rejects sign-ups on a closed server, and still signs existing users in', async () => {
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
