import { describe, expect, test } from 'vitest';
import { createApp } from '../cloud/app.ts';
import { withBegun } from '../cloud/begun-answers.ts';
import { beginRequests } from './begun-requests.ts';

const TOKEN = `x.${btoa(JSON.stringify({ iat: 10, exp: 310 }))}.x`;
const ADA = { user: { name: 'Ada', email: 'ada@example.com', emailVerified: true } };
const PROVIDER = '/.well-known/fixpoint.json';
const WHOLE = [PROVIDER, '/auth/get-session', '/auth/token', '/api reqEnsureUser'];

const nothing = () => undefined;
const json =
  (body: unknown, status = 200) =>
  () =>
    Response.json(body, { status });
const BUILT_IN: Readonly<Record<string, () => Response>> = {
  [PROVIDER]: json({ signIn: { kind: 'builtin' } }),
  '/auth/get-session': json(ADA),
  '/auth/token': json({ token: TOKEN }),
  '/api': json({ type: 'resEnsureUser' }),
  '/auth/sign-out': json({}),
};

/**
 * Returns a server that records its requests, and a page that began requests before its own script
 * ran.
 */
function page(answers: Readonly<Record<string, () => Response>> = {}, isOfCloud = true, signIn?: string) {
  const asked: string[] = [];
  let nowMs = 100;
  const fetch = (async (path: string, init?: RequestInit) => {
    const { type } = JSON.parse(String(init?.body ?? '{}')) as { type?: string };
    asked.push(type === undefined ? path : `${path} ${type}`);
    return (answers[path] ?? BUILT_IN[path])?.() ?? new Response('', { status: 404 });
  }) as typeof globalThis.fetch;
  const begun = beginRequests(fetch, { isOfCloud, signIn, atMs: nowMs });
  return {
    asked,
    app: createApp(
      withBegun(fetch, begun, () => nowMs),
      { startAnew: nothing, goOn: nothing },
    ),
    fetch: withBegun(fetch, begun, () => nowMs),
    /** Resolves when all early requests have settled. */
    settled: () => Promise.all(begun.byPath.values()),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('sending requests early', () => {
  test('fetches the session, the token and the user only once each', async () => {
    const { app, asked, settled } = page();
    await settled();
    expect(asked).toEqual(WHOLE);
    expect(await app.session.user()).toEqual(ADA.user);
    await app.api.ensureUser();
    expect(asked).toEqual(WHOLE);
  });

  test('uses pending early requests when the page needs the same answers', async () => {
    const { app, asked } = page();
    const user = app.session.user();
    expect(await user).toEqual(ADA.user);
    await app.api.ensureUser();
    expect(asked).toEqual(WHOLE);
  });

  test.each([
    ['nobody is signed in', { '/auth/get-session': json(null) }, 2],
    ['the session cannot be read', { '/auth/get-session': json({ user: {} }, 500) }, 2],
    ['the server requires a second step', { '/auth/token': json({ code: 'SECOND_FACTOR_NEEDED' }, 403) }, 3],
    ['another provider signs users in', { [PROVIDER]: json({ signIn: { kind: 'clerk' } }) }, 1],
    ['there is no cloud', { [PROVIDER]: () => new Response('<!doctype html>') }, 1],
  ])('stops if %s', async (_why, answers, count) => {
    const { asked, settled } = page(answers);
    await settled();
    expect(asked).toEqual(WHOLE.slice(0, count));
  });

  test.each([
    ['oidc', WHOLE],
    ['clerk', WHOLE.slice(0, 1)],
  ])('doesn’t wait for the provider that the page names: %s', async (signIn, requests) => {
    const { asked, settled } = page({ [PROVIDER]: () => new Response('', { status: 500 }) }, true, signIn);
    await settled();
    expect(asked).toEqual(requests);
  });

  test('fetches no token on public pages', async () => {
    const { asked, settled } = page({}, false);
    await settled();
    expect(asked).toEqual(WHOLE.slice(0, 2));
  });
});

describe('an early answer', () => {
  test('is used once', async () => {
    const { fetch, asked, settled } = page();
    await settled();
    await fetch('/auth/get-session');
    expect(asked).toEqual(WHOLE);
    await fetch('/auth/get-session');
    expect(asked).toEqual([...WHOLE, '/auth/get-session']);
  });

  test('is never given to the next user', async () => {
    const { fetch, asked, settled } = page();
    await settled();
    await fetch('/auth/sign-out', { method: 'POST', body: '{}' });
    await fetch('/auth/token');
    expect(asked).toEqual([...WHOLE, '/auth/sign-out', '/auth/token']);
  });

  test('expires after half a minute', async () => {
    const { fetch, asked, settled, pass } = page();
    await settled();
    pass(30_001);
    await fetch('/auth/token');
    expect(asked).toEqual([...WHOLE, '/auth/token']);
  });

  test('is not used for another call', async () => {
    const { fetch, asked, settled } = page();
    await settled();
    await fetch('/api', { method: 'PUT', body: '{"type":"reqListInvites"}' });
    expect(asked).toEqual([...WHOLE, '/api reqListInvites']);
  });

  test('is requested again by the page if the early request failed', async () => {
    let isCut = true;
    const cut = () => {
      if (isCut) throw new TypeError('Failed to fetch');
      return Response.json(ADA);
    };
    const { app, asked, settled } = page({ '/auth/get-session': cut });
    await settled();
    isCut = false;
    expect(await app.session.user()).toEqual(ADA.user);
    expect(asked).toEqual([PROVIDER, '/auth/get-session', '/auth/get-session']);
  });
});
