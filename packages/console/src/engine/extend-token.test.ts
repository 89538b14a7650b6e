import { expect, test, vi } from 'vitest';
import { extendToken } from './extend-token.ts';

const SERVER = 'https://other.example/fixpoint';
const answering = (body: unknown, init?: ResponseInit) =>
  vi.fn<typeof fetch>(async () => new Response(typeof body === 'string' ? body : JSON.stringify(body), init));

test('sends a token only to the server that issued it, without cookies', async () => {
  const send = answering({ token: 'longer' });
  expect(await extendToken(SERVER, 'short', send)).toBe('longer');
  const [url, init] = send.mock.calls[0] ?? [];
  expect(url).toBe(`${SERVER}/api/extend`);
  expect(init).toMatchObject({ method: 'PUT', credentials: 'omit', redirect: 'error' });
  expect(JSON.parse(String(init?.body))).toEqual({ type: 'reqExtendToken', token: 'short' });
});

test.each([
  ['a refusal', answering({}, { status: 401 }), 'NOT_SIGNED_IN'],
  ['no route', answering('Not found', { status: 404 }), 'HTTP'],
  ['a page', answering('<!doctype html>'), 'HTTP'],
  ['no token', answering({ token: 1 }), 'HTTP'],
  ['a huge token', answering({ token: 'x'.repeat(40_000) }), 'HTTP'],
  ['no answer', vi.fn<typeof fetch>(() => Promise.reject(new TypeError('failed'))), 'FETCH'],
])('reports %s', async (_what, send, code) => {
  await expect(extendToken(SERVER, 'short', send)).rejects.toMatchObject({ code });
});
