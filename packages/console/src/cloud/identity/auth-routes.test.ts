import { describe, expect, test } from 'vitest';
import { createAuthRoutes } from './auth-routes.ts';

const answering = (response: Response | Error) => {
  const sent: { path: string; init: RequestInit | undefined }[] = [];
  const fetch = async (path: unknown, init?: RequestInit) => {
    sent.push({ path: String(path), init });
    if (response instanceof Error) throw response;
    return response;
  };
  return { routes: createAuthRoutes(fetch as typeof globalThis.fetch), sent };
};

const json = (status: number, body: unknown) => Response.json(body, { status });

describe('reading', () => {
  test('returns the server’s answer', async () => {
    const { routes, sent } = answering(json(200, { user: 'ada' }));
    expect(await routes.get('/get-session')).toEqual({ user: 'ada' });
    expect(sent.map(({ path }) => path)).toEqual(['/auth/get-session']);
  });

  test.each([
    ['an answer of null', json(200, null)],
    ['status 401', new Response('', { status: 401 })],
  ])('returns undefined for %s, because nobody is signed in', async (_what, response) => {
    expect(await answering(response).routes.get('/get-session')).toBeUndefined();
  });

  test('keeps the server’s error code, and uses the server’s text as the cause', async () => {
    const { routes } = answering(json(429, { code: 'RATE_LIMITED', message: 'slow down' }));
    await expect(routes.get('/token')).rejects.toMatchObject({ code: 'RATE_LIMITED', cause: 'slow down' });
  });

  test.each([
    ['a code that Fixpoint doesn’t have', json(500, { code: 'toString' }), 'HTTP'],
    ['an answer that isn’t JSON', new Response('<html>', { status: 502 }), 'HTTP'],
    ['a page instead of JSON, from a server that isn’t Fixpoint', new Response('<html>'), 'HTTP'],
    ['a server that doesn’t answer', new Error('Failed to fetch'), 'FETCH'],
  ])('reports %s as an error', async (_what, response, code) => {
    await expect(answering(response).routes.get('/token')).rejects.toMatchObject({ code });
  });
});

describe('changing', () => {
  test('sends JSON, and returns the server’s answer', async () => {
    const { routes, sent } = answering(json(200, { url: '/there' }));
    expect(await routes.post('/sign-in', { email: 'a' })).toEqual({ ok: true, value: { url: '/there' } });
    expect(sent[0]?.init).toMatchObject({ method: 'POST', body: '{"email":"a"}' });
  });

  test('accepts an answer without a body', async () => {
    const { routes } = answering(new Response(null, { status: 204 }));
    expect(await routes.post('/sign-out', {})).toEqual({ ok: true, value: {} });
  });

  test.each([
    ['the reason of the server', json(400, { message: 'Invalid password' }), 'Invalid password'],
    ['what to enter after a wrong code', json(401, { code: 'INVALID_CODE', message: 'x' }), /shows now\.$/],
    ['that a backup code was used', json(401, { code: 'INVALID_BACKUP_CODE' }), /was used before/],
    ['how long to wait after a limit', json(429, { message: 'x' }), /^Too many attempts\. Wait a minute/],
    ['the status of an answer without a reason', json(500, {}), /^The server reported error 500\./],
    ['what to do without a connection', new Error('offline'), /^Couldn’t reach the server\. Check/],
  ])('shows %s', async (_what, response, why) => {
    const answer = await answering(response).routes.post('/sign-in', {});
    expect(answer).toMatchObject({ ok: false, error: { code: 'REQUEST_INVALID' } });
    expect(answer.ok ? '' : answer.error.cause).toEqual(
      why instanceof RegExp ? expect.stringMatching(why) : why,
    );
  });

  test.each(['CONFIRM_IDENTITY', 'SECOND_FACTOR_NEEDED'])(
    'keeps the code %s, which callers handle',
    async (code) => {
      const answer = await answering(json(403, { code, message: 'first' })).routes.post('/x', {});
      expect(answer).toMatchObject({ ok: false, error: { code } });
    },
  );

  test('hides other codes, because the advice for these codes is about the admin API', async () => {
    const answer = await answering(json(403, { code: 'NOT_SIGNED_IN', message: 'no' })).routes.post('/x', {});
    expect(answer).toMatchObject({ ok: false, error: { code: 'REQUEST_INVALID', cause: 'no' } });
  });
});
