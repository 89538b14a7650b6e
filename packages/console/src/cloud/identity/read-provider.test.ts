import { describe, expect, test } from 'vitest';
import { readProvider } from './read-provider.ts';

const read = (answer: () => Promise<Response>) => readProvider(answer as typeof globalThis.fetch);
const told = (signIn: object) => read(async () => Response.json({ auth: 'x', signIn }));
const KEY = `pk_live_${btoa('clerk.example.com$')}`;
const clerk = { kind: 'clerk', publishableKey: KEY, template: 'with-email' };

describe('reading the identity provider', () => {
  test('returns the provider in the server’s configuration, or the server itself if the configuration has none', async () => {
    const plain = { kind: 'builtin', passkeys: false, secondFactor: false, elsewhere: undefined };
    expect(await told({ kind: 'oidc' })).toEqual({
      ...plain,
      kind: 'oidc',
      elsewhere: 'Continue with single sign-on',
    });
    expect(await told({ kind: 'builtin', provider: { name: 'Acme' } })).toEqual({
      ...plain,
      elsewhere: 'Continue with Acme',
    });
    expect(await told({ kind: 'builtin' })).toEqual(plain);
    expect(await told({ kind: 'builtin', passkeys: true, secondFactor: 'optional' })).toEqual({
      kind: 'builtin',
      passkeys: true,
      secondFactor: true,
    });
    expect(await told({ kind: 'builtin', signOutEnds: 'all' })).toEqual({ ...plain, signOutEnds: 'all' });
    expect(await told({ kind: 'builtin', signOutEnds: 'something else' })).toEqual(plain);
    for (const [signUp, more] of [
      ['waitlist', { signUp: 'waitlist' }],
      ['closed', { signUp: 'closed' }],
      ['open', {}],
      ['else', {}],
    ] as const)
      expect(await read(async () => Response.json({ signUp }))).toEqual({ ...plain, ...more });
    expect(await read(async () => new Response('<html>'))).toEqual(plain);
    expect(await read(async () => new Response('', { status: 404 }))).toEqual(plain);
    await expect(read(() => Promise.reject(new TypeError('offline')))).rejects.toMatchObject({
      code: 'FETCH',
    });
  });

  test.each([undefined, '/__clerk', 'https://clerk.example.com/proxy'])(
    'accepts a key in the right format with the proxy %j',
    async (proxyUrl) => {
      const config = await told({ ...clerk, proxyUrl });
      expect(config).toMatchObject({ key: { frontendHost: 'clerk.example.com' }, template: 'with-email' });
    },
  );

  test.each([
    { publishableKey: 'pk_live_abc' },
    { publishableKey: undefined },
    { proxyUrl: '//evil.example' },
    { proxyUrl: 'clerk' },
    { proxyUrl: 1 },
    { template: undefined },
  ])('rejects %j before anything is loaded', async (wrong) => {
    await expect(told({ ...clerk, ...wrong })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
