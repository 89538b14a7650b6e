import { createSecretKey } from 'node:crypto';
import { exportJWK, generateKeyPair, importJWK, type JWK, SignJWT } from 'jose';
import { loadSecrets } from '../../src/secrets.ts';
import { AUDIENCE, createCloudTokens, ISSUER, newSigningKey } from '../../src/tokens/cloud-tokens.ts';
import { type Ledger, mint, newLedger, newMember, type TestCloud } from '../cloud.fixture.ts';
import type { Worth } from './table.ts';

export interface Credential {
  readonly name: string;
  readonly worth: Worth;
  /**
   * Returns the `auth` of a message. Nobody else uses the ledger `own`, so the credential may
   * change it.
   */
  readonly make: (cloud: TestCloud, own: Ledger) => Promise<unknown>;
}

const jwk = (token: unknown) => ({ type: 'fp-cloud-jwk', params: { jwk: token } });

/** Returns a token that our own key signed, with some claims and headers changed. */
async function signed(
  cloud: TestCloud,
  own: Ledger,
  body: object,
  head: Record<string, unknown> = {},
  key?: Parameters<SignJWT['sign']>[0],
): Promise<unknown> {
  const [secret] = (await loadSecrets(cloud.data)).tokens as [JWK];
  const seconds = Math.floor(Date.now() / 1000);
  const claims = {
    userId: own.userId,
    email: 'somebody@example.com',
    created: new Date(0).toISOString(),
    tenants: [{ id: own.tenant, role: 'admin' }],
    ledgers: [{ id: own.ledger, role: 'admin', right: 'write' }],
    selected: { tenant: own.tenant, ledger: own.ledger },
    iss: ISSUER,
    aud: AUDIENCE,
    sub: own.userId,
    jti: 'j',
    iat: seconds,
    exp: seconds + 600,
  };
  const header = { alg: 'ES256', kid: cloud.tokens.jwks().keys[0]?.kid, typ: 'fp-cloud+jwt' };
  const token = await new SignJWT({ ...claims, ...body })
    .setProtectedHeader({ ...header, ...head } as { alg: string })
    .sign(key ?? (await importJWK(secret, 'ES256')));
  return jwk(token);
}

type Make = Credential['make'];
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const ago = () => Math.floor(Date.now() / 1000) - 3600;
const elsewhere: Make = async (cloud, own) => {
  const { privateKey } = await generateKeyPair('ES256');
  return signed(cloud, own, {}, {}, privateKey);
};
/** Signs with an unknown key, and offers its public key in a header. */
const offering =
  (header: (publicKey: JWK) => Record<string, unknown>): Make =>
  async (cloud, own) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    return signed(cloud, own, {}, header(await exportJWK(publicKey)), privateKey);
  };

/** Credentials without a valid signature. */
const UNSIGNED: Readonly<Record<string, Make>> = {
  'no auth': async () => undefined,
  'auth is null': async () => null,
  'auth is text': async (_, { token }) => token,
  'auth is a list': async (_, { token }) => [token],
  'auth without type': async (_, { token }) => ({ params: { jwk: token } }),
  'type ucan': async (_, { token }) => ({ type: 'ucan', params: { tbd: token } }),
  'type device-id': async (_, { token }) => ({ type: 'device-id', params: { sessionToken: token } }),
  'type fp-cloud, as servers use internally': async (_, { token, userId }) => ({
    type: 'fp-cloud',
    params: { claim: { userId }, jwk: token },
  }),
  'type error': async () => ({ type: 'error' }),
  'type of the admin API': async (_, { token }) => ({ type: 'fixpoint', token }),
  'no params': async () => ({ type: 'fp-cloud-jwk' }),
  'an empty token': async () => jwk(''),
  'a token that is a number': async () => jwk(7),
  'a token in a list': async (_, { token }) => jwk([token]),
  'text that is not a token': async () => jwk('a.b.c'),
  'a token of 40,000 characters': async () => jwk('a'.repeat(40_000)),
  'algorithm none': async (_, { token }) =>
    jwk(`${part({ alg: 'none', typ: 'fp-cloud+jwt' })}.${token.split('.')[1]}.`),
  'no signature': async (_, { token }) => jwk(`${token.split('.').slice(0, 2).join('.')}.`),
  'a signature of zeros': async (_, { token }) =>
    jwk(`${token.split('.').slice(0, 2).join('.')}.${'A'.repeat(86)}`),
  'changed claims': async (_, { token }) =>
    jwk([token.split('.')[0], part({ userId: 'zOther' }), token.split('.')[2]].join('.')),
  'signed by another key': elsewhere,
  'signed by the public key as a secret': async (cloud, own) => {
    const secret = createSecretKey(Buffer.from(JSON.stringify(cloud.tokens.jwks().keys[0])));
    return signed(cloud, own, {}, { alg: 'HS256' }, secret);
  },
  'a key of its own in the header (jwk)': offering((publicKey) => ({ jwk: publicKey })),
  'an address of keys in the header (jku)': offering(() => ({ jku: 'https://evil.example/jwks.json' })),
  'an address of certificates in the header (x5u)': offering(() => ({ x5u: 'https://evil.example/x5u' })),
  'no key id': (cloud, own) => signed(cloud, own, {}, { kid: undefined }),
  'an unknown key id': (cloud, own) => signed(cloud, own, {}, { kid: 'other' }),
  'another issuer': (cloud, own) => signed(cloud, own, { iss: 'other' }),
  'another audience': (cloud, own) => signed(cloud, own, { aud: 'fp-cloud' }),
  'another type': (cloud, own) => signed(cloud, own, {}, { typ: 'JWT' }),
  'no expiry': (cloud, own) => signed(cloud, own, { exp: undefined }),
  expired: (cloud, own) => signed(cloud, own, { exp: ago() }),
  'not valid yet': (cloud, own) => signed(cloud, own, { nbf: Math.floor(Date.now() / 1000) + 3600 }),
  'no user': (cloud, own) => signed(cloud, own, { userId: undefined }),
  'a user that is not text': (cloud, own) => signed(cloud, own, { userId: { toString: 'x' } }),
  'user and subject differ': (cloud, own) => signed(cloud, own, { userId: 'zOther' }),
  'issued by another server': async (_, own) => {
    const tokens = await createCloudTokens([await newSigningKey()], () => Date.now());
    return jwk(await mint(tokens, own.userId, own.tenant, own.ledger));
  },
};

/**
 * Valid tokens that open nothing: either the tables grant no right, or the token is for another
 * ledger.
 */
const BARRED: Readonly<Record<string, Make>> = {
  'an unknown user': async (cloud, own) => jwk(await mint(cloud.tokens, 'zNobody', own.tenant, own.ledger)),
  'a banned user': async (cloud, own) => {
    await cloud.db.updateTable('Users').set({ status: 'banned' }).where('userId', '=', own.userId).execute();
    return jwk(own.token);
  },
  'a member who was removed': async (cloud, own) => {
    const member = await newMember(cloud, own, 'write');
    await cloud.db.deleteFrom('TenantUsers').where('userId', '=', member.userId).execute();
    return jwk(member.token);
  },
  'a member who is not active': async (cloud, own) => {
    const member = await newMember(cloud, own, 'write');
    await cloud.db
      .updateTable('TenantUsers')
      .set({ status: 'inactive' })
      .where('userId', '=', member.userId)
      .execute();
    return jwk(member.token);
  },
  'a member whose share of the ledger ended': async (cloud, own) => {
    const member = await newMember(cloud, own, 'write');
    await cloud.db
      .updateTable('LedgerUsers')
      .set({ status: 'inactive' })
      .where('userId', '=', member.userId)
      .execute();
    return jwk(member.token);
  },
  'a user of another tenant, with a token that names the ledger': async (cloud, own) => {
    const { userId } = await newLedger(cloud);
    return jwk(await mint(cloud.tokens, userId, own.tenant, own.ledger));
  },
  'the admin, with a token that names another ledger': async (cloud, own) =>
    jwk(await mint(cloud.tokens, own.userId, own.tenant, 'zOther')),
  'the admin, with a token that names another tenant': async (cloud, own) =>
    jwk(await mint(cloud.tokens, own.userId, 'zOther', own.ledger)),
  'the admin, with a token that names no tenant or ledger': (cloud, own) =>
    signed(cloud, own, { tenants: [], ledgers: [], selected: {} }),
  'a tenant that is not active': async (cloud, own) => {
    await cloud.db
      .updateTable('Tenants')
      .set({ status: 'deleted' })
      .where('tenantId', '=', own.tenant)
      .execute();
    return jwk(own.token);
  },
  'a ledger that is not active': async (cloud, own) => {
    await cloud.db
      .updateTable('Ledgers')
      .set({ status: 'deleted' })
      .where('ledgerId', '=', own.ledger)
      .execute();
    return jwk(own.token);
  },
};

const READERS: Readonly<Record<string, Make>> = {
  'a member with the right to read': async (cloud, own) => jwk((await newMember(cloud, own, 'read')).token),
  'an admin with a read-only token': (cloud, own) =>
    signed(cloud, own, { ledgers: [{ id: own.ledger, role: 'admin', right: 'read' }] }),
};

const WRITERS: Readonly<Record<string, Make>> = {
  'the admin': async (_, own) => jwk(own.token),
  'a member with the right to write': async (cloud, own) => jwk((await newMember(cloud, own, 'write')).token),
};

const named = (makes: Readonly<Record<string, Make>>, worth: Worth): Credential[] =>
  Object.entries(makes).map(([name, make]) => ({ name, worth, make }));

export const CREDENTIALS: readonly Credential[] = [
  ...named(UNSIGNED, 'unsigned'),
  ...named(BARRED, 'barred'),
  ...named(READERS, 'reader'),
  ...named(WRITERS, 'writer'),
];
