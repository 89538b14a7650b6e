import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { createOwnTokens } from './own-tokens.ts';

const ISSUER = { issuer: 'own', jwksUrl: 'https://own.example/keys', audience: 'fixpoint' };

async function newKey(kid: string | undefined, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const published = { ...(await exportJWK(publicKey)), ...(kid && { kid }), alg };
  const sign = (subject = 'u1') =>
    new SignJWT({})
      .setProtectedHeader({ alg, ...(kid && { kid }) })
      .setIssuer('own')
      .setAudience('fixpoint')
      .setSubject(subject)
      .setIssuedAt(Math.floor(Date.parse('2026-11-20T12:00:00Z') / 1000))
      .setExpirationTime(2_000_000_000)
      .sign(privateKey);
  return { published, sign };
}

function world() {
  const clock = { ms: Date.parse('2026-11-20T12:00:00Z') };
  const served: { keys: unknown } = { keys: [] };
  const fetched: string[] = [];
  const reported: unknown[] = [];
  const fetchJson = async (url: string) => {
    fetched.push(url);
    if (served.keys === undefined) throw new Error('down');
    return { keys: served.keys };
  };
  const tokens = createOwnTokens(
    fetchJson,
    () => clock.ms,
    (error) => void reported.push(error),
  );
  const subjectOf = async (token: string, issuer = ISSUER) => {
    await tokens.prepare(issuer, token);
    return tokens.verify(issuer, token).then(
      ({ subject }) => subject,
      (error: { code: string }) => error.code,
    );
  };
  return { clock, served, fetched, reported, tokens, subjectOf };
}

test.each(['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA'])('accepts %s', async (alg) => {
  const { served, subjectOf } = world();
  const key = await newKey('k1', alg);
  served.keys = [key.published];
  expect(await subjectOf(await key.sign())).toBe('u1');
});

test('fetches the keys once for many tokens, also for parallel ones', async () => {
  const { served, fetched, subjectOf } = world();
  const key = await newKey('k1');
  served.keys = [key.published];
  const tokens = await Promise.all(Array.from({ length: 5 }, (_, at) => key.sign(`u${at}`)));
  expect(await Promise.all(tokens.map((each) => subjectOf(each)))).toEqual(['u0', 'u1', 'u2', 'u3', 'u4']);
  expect(fetched).toHaveLength(1);
});

test('accepts a new key at once, and fetches for unknown keys at most every five seconds', async () => {
  const { clock, served, fetched, subjectOf } = world();
  const [first, second, third] = [await newKey('k1'), await newKey('k2'), await newKey('k3')];
  served.keys = [first.published];
  expect(await subjectOf(await first.sign())).toBe('u1');
  clock.ms += 5000;
  served.keys = [first.published, second.published];
  expect(await subjectOf(await second.sign())).toBe('u1');
  for (let at = 0; at < 5; at += 1) expect(await subjectOf(await third.sign())).toBe('FETCH');
  expect(fetched).toHaveLength(2);
});

test('rejects a withdrawn key after five minutes', async () => {
  const { clock, served, subjectOf } = world();
  const [first, second] = [await newKey('k1'), await newKey('k2')];
  served.keys = [first.published];
  const token = await first.sign();
  expect(await subjectOf(token)).toBe('u1');
  served.keys = [second.published];
  clock.ms += 299_999;
  expect(await subjectOf(token)).toBe('u1');
  clock.ms += 1;
  expect(await subjectOf(token)).toBe('FETCH');
});

test('uses the keys for five minutes while the issuer fails, and asks it at most once a minute', async () => {
  const { clock, served, fetched, reported, subjectOf } = world();
  const [key, unknown] = [await newKey('k1'), await newKey('k2')];
  served.keys = [key.published];
  const token = await key.sign();
  expect(await subjectOf(token)).toBe('u1');
  served.keys = undefined;
  clock.ms += 200_000;
  for (let at = 0; at < 5; at += 1) expect(await subjectOf(await unknown.sign())).toBe('FETCH');
  expect([await subjectOf(token), fetched.length, reported.length]).toEqual(['u1', 2, 1]);
  clock.ms += 100_000;
  expect(await subjectOf(token)).toBe('FETCH');
  expect(await subjectOf(token)).toBe('FETCH');
  expect(fetched).toHaveLength(3);
  served.keys = [key.published];
  clock.ms += 59_999;
  expect(await subjectOf(token)).toBe('FETCH');
  clock.ms += 1;
  expect(await subjectOf(token)).toBe('u1');
});

test('rejects an answer that isn’t a key set', async () => {
  for (const keys of [null, 'none', [7], undefined]) {
    const { served, subjectOf } = world();
    const key = await newKey('k1');
    served.keys = keys;
    expect(await subjectOf(await key.sign())).toMatch(/^(FETCH|NOT_SIGNED_IN)$/);
  }
});

test('never uses the keys of one address for another', async () => {
  const { served, subjectOf } = world();
  const [key, other] = [await newKey('k1'), await newKey('k1')];
  served.keys = [key.published];
  expect(await subjectOf(await key.sign())).toBe('u1');
  served.keys = [other.published];
  const elsewhere = { ...ISSUER, jwksUrl: 'https://other.example/keys' };
  expect(await subjectOf(await key.sign(), elsewhere)).toBe('NOT_SIGNED_IN');
  expect(await subjectOf(await other.sign(), elsewhere)).toBe('u1');
});

test('rejects text that isn’t a token, without another fetch', async () => {
  const { served, fetched, subjectOf } = world();
  const key = await newKey('k1');
  served.keys = [key.published];
  await subjectOf(await key.sign());
  for (const text of ['', 'x', 'a.b.c', '..', '{}'])
    expect(await subjectOf(text), text).toBe('NOT_SIGNED_IN');
  expect(fetched).toHaveLength(1);
});
