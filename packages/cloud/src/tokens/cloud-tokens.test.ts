import { createSecretKey } from 'node:crypto';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { describe, expect, test } from 'vitest';
import { AUDIENCE, type CloudClaims, createCloudTokens, ISSUER, newSigningKey } from './cloud-tokens.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const claims: CloudClaims = {
  userId: 'zUser',
  email: 'ada@example.com',
  created: '2026-11-20T11:00:00.000Z',
  tenants: [{ id: 'zT', role: 'admin' }],
  ledgers: [{ id: 'zL', role: 'admin', right: 'write' }],
  selected: { tenant: 'zT', ledger: 'zL' },
};
const REFUSED = { code: 'NOT_SIGNED_IN', message: 'not signed in: the token is not valid' };

async function openTokens() {
  const secret = await newSigningKey();
  const clock = { ms: NOW };
  const tokens = await createCloudTokens([secret], () => clock.ms);
  const token = await tokens.mint(claims);
  return { secret, clock, tokens, token };
}

describe('cloud tokens', () => {
  test('[1.11] contains the user, the ledgers and the expiry', async () => {
    const { token, tokens } = await openTokens();
    const [key] = tokens.jwks().keys;
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'fp-cloud+jwt', kid: key?.kid });
    const body = decodeJwt(token);
    expect(body).toMatchObject({
      ...claims,
      iss: 'FP_CLOUD',
      aud: 'fp-cloud-jwk',
      sub: 'zUser',
      iat: NOW / 1000,
    });
    expect(body.exp).toBe(NOW / 1000 + 600);
    expect(body.jti).not.toBe(decodeJwt(await tokens.mint(claims)).jti);
    expect(await tokens.verify(token)).toMatchObject({ ...claims, expiresAtMs: NOW + 600_000 });
  });

  test('[S15] verifies a token with the published keys, which contain nothing private', async () => {
    const { token, tokens } = await openTokens();
    const { keys } = tokens.jwks();
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ]);
    const check = { issuer: ISSUER, audience: AUDIENCE, currentDate: new Date(NOW) };
    await jwtVerify(token, createLocalJWKSet({ keys: keys as never }), check);
  });

  test('[S1] rejects a token whose subject differs from its user, even if our own key signed it', async () => {
    const { secret, tokens, token } = await openTokens();
    const signed = async (sub: string) =>
      new SignJWT(decodeJwt(token))
        .setProtectedHeader({ ...decodeProtectedHeader(token), alg: 'ES256' })
        .setSubject(sub)
        .sign(await importJWK(secret, 'ES256'));
    expect(await tokens.verify(await signed('zUser'))).toMatchObject({ userId: 'zUser' });
    await expect(tokens.verify(await signed('zOther'))).rejects.toMatchObject(REFUSED);
  });

  test('[S4] verifies a token of a rotated key until that key is removed', async () => {
    const { secret, token } = await openTokens();
    const next = await newSigningKey();
    const rotated = await createCloudTokens([next, secret], () => NOW);
    await rotated.verify(token);
    expect(rotated.jwks().keys).toHaveLength(2);
    const fresh = await rotated.mint(claims);
    const without = await createCloudTokens([next], () => NOW);
    await without.verify(fresh);
    await expect(without.verify(token)).rejects.toMatchObject(REFUSED);
  });

  test('accepts a token from a gateway whose clock is at most two minutes ahead', async () => {
    const { clock, token, tokens } = await openTokens();
    clock.ms = NOW - 119_000;
    await tokens.verify(token);
    clock.ms = NOW - 121_000;
    await expect(tokens.verify(token)).rejects.toMatchObject(REFUSED);
  });

  test('rejects a token five seconds after it expired', async () => {
    const { clock, token, tokens } = await openTokens();
    clock.ms = NOW + 604_000;
    await tokens.verify(token);
    clock.ms = NOW + 606_000;
    await expect(tokens.verify(token)).rejects.toMatchObject(REFUSED);
  });

  test('[S1] rejects malformed tokens', async () => {
    const { token, tokens } = await openTokens();
    const [head = '', body = '', signature = ''] = token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const wrong = [
      '',
      'x',
      '..',
      `${head}.${body}`,
      `${head}.${body}.`,
      `${none}.${body}.`,
      `${none}.${body}.${signature}`,
      `${token}x`,
    ];
    for (const text of wrong) await expect(tokens.verify(text), text).rejects.toMatchObject(REFUSED);
  });

  test('[S1] rejects a token with a changed character', async () => {
    const { token, tokens } = await openTokens();
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, at) + other + token.slice(at + 1);
      // The last character of a part has unused bits: the text may differ while the bytes don't.
      const isSame = changed
        .split('.')
        .every((part, i) =>
          Buffer.from(part, 'base64url').equals(Buffer.from(token.split('.')[i] ?? '', 'base64url')),
        );
      if (!isSame) await expect(tokens.verify(changed), String(at)).rejects.toMatchObject(REFUSED);
    }
  });

  test('[S1] rejects a token for another purpose, from another issuer, or without expiry', async () => {
    const { secret, tokens } = await openTokens();
    const signing = await importJWK(secret, 'ES256');
    const kid = tokens.jwks().keys[0]?.kid ?? '';
    const seconds = NOW / 1000;
    const good = {
      ...claims,
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'zUser',
      jti: 'j',
      iat: seconds,
      exp: seconds + 60,
    };
    const header = { alg: 'ES256', kid, typ: 'fp-cloud+jwt' };
    const signed = (
      body: object,
      head: Record<string, unknown> = {},
      key: Parameters<SignJWT['sign']>[0] = signing,
    ) => new SignJWT({ ...good, ...body }).setProtectedHeader({ ...header, ...head }).sign(key);
    await tokens.verify(await signed({}));

    const stranger = await generateKeyPair('ES256');
    const wrong = [
      signed({ iss: 'other' }),
      signed({ iss: undefined }),
      signed({ aud: 'fp-cloud' }),
      signed({ aud: undefined }),
      signed({ exp: undefined }),
      signed({ exp: seconds - 60 }),
      signed({ nbf: seconds + 180 }),
      signed({ sub: undefined }),
      signed({ userId: undefined }),
      signed({ userId: 7 }),
      signed({}, { typ: 'JWT' }),
      signed({}, { typ: undefined }),
      signed({}, { kid: undefined }),
      signed({}, { kid: 'other' }),
      signed({}, {}, stranger.privateKey),
      signed({}, { jwk: await newSigningKey() }, stranger.privateKey),
      signed({}, { alg: 'HS256' }, createSecretKey(Buffer.from(JSON.stringify(tokens.jwks().keys[0])))),
    ];
    for (const [at, token] of wrong.entries())
      await expect(tokens.verify(await token), String(at)).rejects.toMatchObject(REFUSED);
  });

  test("can't be created without a signing key", async () => {
    await expect(createCloudTokens([], () => NOW)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
