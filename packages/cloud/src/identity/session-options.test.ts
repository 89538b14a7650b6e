import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openIdentity, PASSWORD, URL_OF_SERVER } from './builtin.fixture.ts';
import { SESSION_IDLE_DAYS } from './session-options.ts';

const DAY_MS = 86_400_000;

describe('the cookie of the session', () => {
  const cookieOf = async (publicUrl: string, basePath: string) => {
    const { identity } = await openIdentity({ publicUrl, basePath });
    const body = JSON.stringify({ email: 'ada@example.com', password: PASSWORD, name: 'Ada' });
    const headers = { 'content-type': 'application/json', origin: publicUrl };
    const signUp = new Request(`${publicUrl}/auth/sign-up/email`, { method: 'POST', headers, body });
    const response = await identity.handle(signUp, '10.0.0.1');
    const [line = ''] = response.headers.getSetCookie();
    const cookie = line.split(';')[0] ?? '';
    const ask = (path: string) => identity.handle(new Request(publicUrl + path, { headers: { cookie } }), '');
    const asked = await ask('/auth/token');
    const challenge = await ask('/auth/passkey/generate-authenticate-options');
    const all = [...response.headers.getSetCookie(), ...challenge.headers.getSetCookie()];
    expect(all.length).toBeGreaterThan(1);
    return { line, all, status: asked.status };
  };

  test("can't be set by another host if the server uses https and the root of its host", async () => {
    const { line, all, status } = await cookieOf('https://fixpoint.example', '');
    for (const each of all)
      expect(each).toMatch(
        /^__Host-[^;]+(?=.*; Path=\/(;|$))(?=.*; Secure)(?=.*; HttpOnly)(?=.*; SameSite=Lax)/,
      );
    expect(all.join()).not.toMatch(/Domain/i);
    expect(line).toMatch(/^__Host-fixpoint\.session_token=/);
    expect(status).toBe(200);
  });

  test('is limited to the path of the server, and has no name prefix over http on this machine', async () => {
    const below = await cookieOf('https://fixpoint.example', '/notes');
    expect(below.line).toMatch(/^__Secure-fixpoint\.session_token=/);
    for (const each of below.all)
      expect(each).toMatch(
        /^__Secure-[^;]+(?=.*; Path=\/notes(;|$))(?=.*; Secure)(?=.*; HttpOnly)(?=.*; SameSite=Lax)/,
      );
    const here = await cookieOf(URL_OF_SERVER, '');
    expect(here.line).toMatch(/^fixpoint\.session_token=/);
    expect(here.line).not.toMatch(/Secure/);
    expect([below.status, here.status]).toEqual([200, 200]);
  });
});

describe('the life of a session', () => {
  async function openAt(start: number) {
    vi.useFakeTimers({ toFake: ['Date'], now: start });
    onTestFinished(() => void vi.useRealTimers());
    const { signUp, db } = await openIdentity();
    const page = await signUp();
    const statusAfter = async (days: number) => {
      vi.setSystemTime(Date.now() + days * DAY_MS);
      return (await page.get('/auth/token')).status;
    };
    return { page, db, statusAfter };
  }

  test('lasts seven days without use', async () => {
    expect(SESSION_IDLE_DAYS).toBe(7);
    const { statusAfter } = await openAt(Date.now());
    expect(await statusAfter(7.01)).toBe(401);
  });

  test('lasts seven more days after a use on a later day', async () => {
    const { statusAfter } = await openAt(Date.now());
    expect([await statusAfter(6.9), await statusAfter(6.9), await statusAfter(7.01)]).toEqual([
      200, 200, 401,
    ]);
  });

  test("is the same in the table and the cookie, whatever the library's default is", async () => {
    const start = Date.UTC(2026, 10, 25);
    const { page, db } = await openAt(start);
    const { rows } = await sql<{ expiresAt: string | Date }>`select "expiresAt" from session`.execute(db);
    expect(rows.map(({ expiresAt }) => (new Date(expiresAt).getTime() - start) / DAY_MS)).toEqual([7]);
    const signIn = { email: 'ada@example.com', password: PASSWORD };
    const { headers } = await page.post('/auth/sign-in/email', signIn);
    expect(headers.getSetCookie().join()).toContain(`Max-Age=${(7 * DAY_MS) / 1000};`);
  });
});
