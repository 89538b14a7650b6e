import { describe, expect, test } from 'vitest';
import { builtInSession } from './built-in-session.ts';

const encode = (claims: object) => `x.${btoa(JSON.stringify(claims))}.x`;

/**
 * Returns a provider with a signed-in user. Tokens are valid for five minutes according to the
 * provider's clock.
 */
function provider({
  signedIn = true,
  answer,
}: {
  signedIn?: boolean;
  answer?: () => Promise<Response>;
} = {}) {
  const asked: string[] = [];
  let made = 0;
  let nowMs = 1_000_000;
  const fetch = async (url: unknown) => {
    asked.push(String(url));
    if (answer !== undefined) return answer();
    if (String(url) === '/auth/get-session')
      return Response.json(signedIn ? { user: { name: 'Ada', email: 'a@b.c', emailVerified: false } } : null);
    if (!signedIn) return new Response('', { status: 401 });
    made += 1;
    return Response.json({ token: encode({ iat: 10, exp: 310, made }) });
  };
  const parts = { fetch: fetch as typeof globalThis.fetch, now: () => nowMs };
  const session = builtInSession(parts, {
    kind: 'builtin',
    passkeys: false,
    secondFactor: true,
    elsewhere: undefined,
  });
  return {
    session,
    asked,
    pass: (ms: number) => {
      nowMs += ms;
    },
    made: () => made,
  };
}

describe('the session of this server', () => {
  test('keeps a token in memory, and replaces the token before its five minutes are over', async () => {
    const { session, pass, made } = provider();
    const first = await session.auth();
    expect(first).toMatchObject({ type: 'fixpoint' });
    pass(239_000);
    expect(await session.auth()).toEqual(first);
    pass(2_000);
    expect(await session.auth()).not.toEqual(first);
    expect(made()).toBe(2);
  });

  test('shares one answer between simultaneous callers', async () => {
    const { session, made } = provider();
    await Promise.all([session.auth(), session.auth(), session.auth()]);
    expect(made()).toBe(1);
  });

  test('skips the session check right after a check, but not later', async () => {
    const { session, asked, pass } = provider();
    await session.user();
    await session.auth();
    expect(asked).toEqual(['/auth/get-session', '/auth/token']);
    pass(400_000);
    await session.auth();
    session.forgetToken();
    await session.auth();
    expect(asked.slice(2)).toEqual(['/auth/get-session', '/auth/token', '/auth/get-session', '/auth/token']);
  });

  test('reports without an error that nobody is signed in, and then requests no token', async () => {
    const { session, asked } = provider({ signedIn: false });
    expect(await session.auth()).toBeUndefined();
    expect(asked).toEqual(['/auth/get-session']);
  });

  test('forgets the token on sign-out', async () => {
    const { session, made } = provider();
    await session.auth();
    expect(await session.signOut()).toBeUndefined();
    const before = made();
    await session.auth();
    expect(made()).toBe(before + 1);
  });

  test('drops a pending token when another user signs in', async () => {
    const tokens: ((token: string) => void)[] = [];
    const fetch = (url: unknown): Promise<Response> => {
      if (String(url) !== '/auth/token')
        return Promise.resolve(Response.json({ user: { name: 'x', email: 'x@y.z', emailVerified: true } }));
      return new Promise((resolve) => {
        tokens.push((token) => resolve(Response.json({ token: encode({ iat: 10, exp: 310, token }) })));
      });
    };
    const session = builtInSession(
      { fetch: fetch as typeof globalThis.fetch, now: () => 0 },
      { kind: 'builtin', passkeys: false, secondFactor: true, elsewhere: undefined },
    );
    const before = session.auth();
    await expect.poll(() => tokens.length).toBe(1);
    await session.signIn('b@c.d', 'x');
    const after = session.auth();
    await expect.poll(() => tokens.length).toBe(2);
    tokens[1]?.('of the second');
    tokens[0]?.('of the first');
    const [first, second] = await Promise.all([before, after]);
    expect(first).not.toEqual(second);
    expect(await session.auth()).toEqual(second);
    expect(tokens.length).toBe(2);
  });

  test('reports an unreachable server as an error, not as a signed-out user', async () => {
    const { session } = provider({ answer: () => Promise.reject(new TypeError('Failed to fetch')) });
    await expect(session.user()).rejects.toMatchObject({ code: 'FETCH' });
    expect(await session.signIn('a@b.c', 'x')).toMatchObject({
      is: 'refused',
      why: expect.stringMatching(/Couldn’t reach the server/),
    });
  });

  test.each([
    [401, { message: 'Invalid email or password' }, 'Invalid email or password'],
    [429, {}, 'Too many attempts. Wait a minute, then try again.'],
    [502, undefined, 'The server reported error 502. Try again in a moment.'],
  ])('shows a text for a rejection with status %i', async (status, body, text) => {
    const { session } = provider({
      answer: () =>
        Promise.resolve(
          body === undefined ? new Response('oops', { status }) : Response.json(body, { status }),
        ),
    });
    expect(await session.signIn('a@b.c', 'x')).toEqual({ is: 'refused', why: text });
  });

  test('does not sign in by password alone when a second step is set up', async () => {
    const { session } = provider({ answer: async () => Response.json({ twoFactorRedirect: true }) });
    expect(await session.signIn('a@b.c', 'x')).toEqual({ is: 'code', from: 'app' });
  });

  test.each([
    ['builtin', true, ['sessions', 'confirm', 'changePassword', 'secondFactor'], ['byPassword']],
    ['builtin', false, ['sessions', 'confirm', 'mailPassword'], []],
    ['oidc', false, ['sessions', 'confirm'], []],
  ] as const)(
    '[%s, password %s] offers only the actions that work',
    async (kind, password, offers, confirms) => {
      const fetch = async (url: unknown) =>
        String(url) === '/auth/account' && kind === 'builtin'
          ? Response.json({ password })
          : new Response('', { status: 404 });
      const parts = { fetch: fetch as typeof globalThis.fetch, now: () => 0 };
      const config = { kind, passkeys: false, secondFactor: kind === 'builtin', elsewhere: undefined };
      const account = await builtInSession(parts, config).account();
      expect(Object.keys(account)).toEqual(offers);
      expect(Object.keys(account.confirm ?? {})).toEqual(confirms);
    },
  );
});
