import { expect, test } from 'vitest';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import { createSignIn } from './sign-in.ts';

test('[S1][S5] caches a verified token until it expires, and then verifies it again', async () => {
  let now = 0;
  let verified = 0;
  const claims: Awaited<ReturnType<CloudTokens['verify']>> = {
    userId: 'u',
    email: 'u@example.com',
    created: '2026-11-22T00:00:00.000Z',
    tenants: [],
    ledgers: [],
    selected: {},
    expiresAtMs: 1000,
    since: 0,
  };
  const tokens = {
    verify: async () => {
      verified += 1;
      if (now >= 1000) throw new Error('ended');
      return claims;
    },
  };
  const signIn = createSignIn(tokens, () => now);
  const auth = { type: 'fp-cloud-jwk', params: { jwk: 'token' } };
  for (now of [0, 1, 999]) expect(await signIn(auth)).toBe(claims);
  expect(verified).toBe(1);
  now = 1000;
  await expect(signIn(auth)).rejects.toThrow('ended');
  expect(verified).toBe(2);
});
