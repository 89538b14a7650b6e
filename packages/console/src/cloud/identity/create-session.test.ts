import { expect, test } from 'vitest';
import { createSession } from './create-session.ts';

test('looks up the provider again until the server answers, and shows why each lookup failed', async () => {
  let isUp = false;
  const fetch = async (url: unknown) => {
    if (!isUp) throw new TypeError('Failed to fetch');
    if (String(url) === '/.well-known/fixpoint.json') return Response.json({ signIn: { kind: 'oidc' } });
    return Response.json(null);
  };
  const session = createSession({ fetch: fetch as typeof globalThis.fetch, now: () => 0 });
  await expect(session.user()).rejects.toMatchObject({ code: 'FETCH' });
  expect(await session.signIn('a@b.c', 'x')).toMatchObject({
    is: 'refused',
    why: expect.stringMatching(/Couldn’t reach the server/),
  });
  isUp = true;
  expect(await session.user()).toBeUndefined();
  expect(await session.ways()).toMatchObject({ password: false, elsewhere: 'Continue with single sign-on' });
});
