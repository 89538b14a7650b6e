import { describe, expect, test } from 'vitest';
import { openIdentity, URL_OF_SERVER } from './builtin.fixture.ts';

describe('below a path that a proxy adds', () => {
  const linkIn = (mail = '') => new URL(/https:\/\/\S+/.exec(mail)?.[0] ?? '');
  const base = { publicUrl: 'https://fixpoint.example', basePath: '/notes' };

  test.each(['/fp/cloud', '/notes/fp/cloud'])(
    'redirects a mailed link to that path: %s',
    async (callbackURL) => {
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
    },
  );
});

describe('verifying an address', () => {
  const linkIn = (mail = '') => /http:\/\/\S+/.exec(mail)?.[0].replace(URL_OF_SERVER, '') ?? '';

  test('verifies the address through the link in the mail, and marks it as verified in later tokens', async () => {
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

  test('[S4] rejects an altered link, and allows a used link to be opened again', async () => {
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

  test('[S11] rejects a redirect to another origin', async () => {
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

  test('sends the link again on request, at a limited rate', async () => {
    const { signUp, mails } = await openIdentity();
    const page = await signUp();
    const again = () => page.post('/auth/send-verification-email', { email: 'ada@example.com' });
    for (let i = 0; i < 3; i += 1) expect((await again()).status).toBe(200);
    expect((await again()).status).toBe(429);
    expect(mails()).toHaveLength(4);
  });

  test('[S15] logs a mail without its link', async () => {
    const { signUp, noted, mails } = await openIdentity();
    await signUp();
    expect(noted).toEqual([
      { subject: 'Verify your email address', file: expect.stringMatching(/outbox.*\.eml$/) },
    ]);
    const token = /token=([^&]+)/.exec(mails()[0] ?? '')?.[1] ?? '';
    expect(token.length).toBeGreaterThan(20);
    expect(JSON.stringify(noted)).not.toContain(token);
  });

  test("reports a mail that can't be sent, and lets the sign-up succeed", async () => {
    const mailer = { send: () => Promise.reject(new Error('no mail today')) };
    const { signUp, faults } = await openIdentity({ mailer });
    await signUp();
    expect(faults).toMatchObject([{ message: 'no mail today' }]);
  });
});
