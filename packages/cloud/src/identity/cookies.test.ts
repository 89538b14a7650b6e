import { describe, expect, test } from 'vitest';
import { openIdentity, PASSWORD, URL_OF_SERVER } from './builtin.fixture.ts';

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

  test("can't be set by another host over https at the root of a host", async () => {
    const { line, all, status } = await cookieOf('https://fixpoint.example', '');
    for (const each of all)
      expect(each).toMatch(
        /^__Host-[^;]+(?=.*; Path=\/(;|$))(?=.*; Secure)(?=.*; HttpOnly)(?=.*; SameSite=Lax)/,
      );
    expect(all.join()).not.toMatch(/Domain/i);
    expect(line).toMatch(/^__Host-fixpoint\.session_token=/);
    expect(status).toBe(200);
  });

  test('stays below a path; has neither prefix on this machine', async () => {
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
