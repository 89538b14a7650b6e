import { describe, expect, test } from 'vitest';
import { type CloudConfig, defaultConfig } from './config.ts';
import type { IdentityConfig, OidcConfig } from './config-accounts.ts';
import { providerOrigins, signInOf } from './start-accounts.ts';

const OIDC: OidcConfig & { kind: 'oidc' } = {
  kind: 'oidc',
  name: 'Acme',
  issuer: 'https://id.example',
  clientId: 'client',
  clientSecret: 'hidden',
  hasOrganizations: false,
};
/** The key of `clerk.example.com`, as Clerk writes it. */
const KEY = `pk_live_${Buffer.from('clerk.example.com$').toString('base64')}`;
const CLERK: IdentityConfig = {
  kind: 'clerk',
  publishableKey: KEY,
  issuer: 'https://clerk.example.com',
  keysUrl: 'https://clerk.example.com/.well-known/jwks.json',
  proxyUrl: undefined,
  template: 'fixpoint',
  hasOrganizations: false,
};

const signIn = (identity: IdentityConfig, more: Partial<CloudConfig> = {}) =>
  signInOf({ ...defaultConfig('/data'), identity, ...more });

describe('the sign-in configuration of the console', () => {
  test('contains the sign-in methods of the built-in provider', () => {
    expect(signIn({ kind: 'builtin' })).toEqual({
      kind: 'builtin',
      passkeys: true,
      secondFactor: 'optional',
    });
    expect(signIn({ kind: 'builtin' }, { secondFactor: 'required', signOutEnds: 'all' })).toMatchObject({
      secondFactor: 'required',
      signOutEnds: 'all',
    });
  });

  test('contains the name of an OpenID Connect provider, and none of its secrets', () => {
    expect(signIn(OIDC)).toEqual({ kind: 'oidc', provider: { name: 'Acme' } });
    const beside = signIn({ kind: 'builtin', beside: OIDC });
    expect(beside).toMatchObject({ kind: 'builtin', provider: { name: 'Acme' } });
    expect(JSON.stringify(beside)).not.toMatch(/hidden|client/);
  });

  test('contains the public key of Clerk', () => {
    expect(signIn(CLERK)).toEqual({ kind: 'clerk', publishableKey: KEY, template: 'fixpoint' });
  });
});

describe('origins of the sign-in provider', () => {
  test('contains the origin of the script that pages load', () => {
    expect(providerOrigins(CLERK)).toEqual(['https://clerk.example.com']);
  });

  test('is empty for a provider without a script, or behind a path of this server', () => {
    expect(providerOrigins({ kind: 'builtin' })).toEqual([]);
    expect(providerOrigins(OIDC)).toEqual([]);
    expect(providerOrigins({ ...CLERK, proxyUrl: '/__clerk' })).toEqual([]);
  });
});
