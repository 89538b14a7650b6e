import { describe, expect, test } from 'vitest';
import { browserFor, openIdentity, PASSWORD, SECRETS } from './builtin.fixture.ts';

describe('identity tokens', () => {
  test('keeps a token valid for five minutes', async () => {
    const { signUp, tokenOf, identity, clock } = await openIdentity();
    const token = await tokenOf(await signUp());
    clock.aheadMs = 4 * 60_000;
    await identity.verify(token);
    clock.aheadMs = 6 * 60_000;
    await expect(identity.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('[S1] rejects a token that is altered, malformed or issued by another server', async () => {
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

  test('[S1] rejects a token that was issued under another address of the same server', async () => {
    const { db, signUp, tokenOf } = await openIdentity();
    const token = await tokenOf(await signUp());
    const moved = await openIdentity({ db, publicUrl: 'https://fixpoint.example' });
    await expect(moved.identity.verify(token)).rejects.toMatchObject({ code: 'NOT_SIGNED_IN' });
  });

  test('[S15] returns a token only from /auth/token', async () => {
    const { signUp } = await openIdentity();
    const reply = await (await signUp()).get('/auth/get-session');
    expect(reply.headers.get('set-auth-jwt')).toBeNull();
  });

  test('accepts a token after the rotation of a secret', async () => {
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

  test('lets users sign in again after a secret was lost', async () => {
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
