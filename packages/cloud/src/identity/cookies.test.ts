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
