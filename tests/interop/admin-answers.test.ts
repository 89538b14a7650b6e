/**
 * Checks admin API answers against the schemas of existing clients, the npm packages
 * `@fireproof/core-types-*` 0.24.19.
 */
import { decodeJwt, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { about, httpClient, testCloud } from '../../packages/cloud/tests/cloud.fixture.ts';
import { newPerson } from '../../packages/cloud/tests/person.fixture.ts';

interface Schema {
  safeParse(value: unknown): { readonly error?: unknown };
}

/** Loads a schema from a package that only this folder installs. */
async function schemaOf(name: string, schema: string): Promise<Schema> {
  const url = new URL(`./node_modules/@fireproof/${name}/index.js`, import.meta.url).href;
  const found = ((await import(/* @vite-ignore */ url)) as Record<string, Schema>)[schema];
  if (found === undefined) throw new Error(`${name} has no ${schema}`);
  return found;
}

const claimsOf = (token: string): JWTPayload => decodeJwt(token);

test('[W1] issues and extends cloud tokens that existing clients parse and that open the ledger', async () => {
  const claims = await schemaOf('core-types-protocols-cloud', 'FPCloudClaimSchema');
  const { url } = await testCloud();
  const ada = await newPerson(url);
  await ada.ask('reqCreateTenant', { tenant: { name: 'Acme' } });
  const made = await ada.ask('reqEnsureCloudToken', { appId: 'todo' });
  const { token } = await ada.ask('reqExtendToken', { token: made.cloudToken });
  for (const each of [made.cloudToken, token]) {
    expect(claims.safeParse(claimsOf(each)).error).toBeUndefined();
    expect(claimsOf(each)).toMatchObject({ selected: { appId: 'todo', ledger: made.ledger } });
  }
  expect(claims.safeParse(made.claims).error).toBeUndefined();
  expect(claims.safeParse({ ...claimsOf(token), email: 'nobody' }).error).toBeDefined();
  const place = { tenant: made.tenant, ledger: made.ledger, token, userId: ada.userId };
  const client = await httpClient({ url }, place);
  expect(await client.request('bindGetMeta', about(place, 'meta', 'GET'))).toMatchObject({
    type: 'eventGetMeta',
  });
});

test('[W1] issues device certificates that existing clients parse', async () => {
  const certificates = await schemaOf('core-types-base', 'CertificatePayloadSchema');
  const { url } = await testCloud();
  const ada = await newPerson(url);
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const csr = await new SignJWT({ csr: { subject: { commonName: 'laptop' }, publicKey: jwk } })
    .setProtectedHeader({ alg: 'ES256', typ: 'CSR+JWT', jwk })
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey);
  const { certificate } = await ada.ask('reqCertFromCsr', { csr });
  expect(certificates.safeParse(claimsOf(certificate)).error).toBeUndefined();
  expect(certificates.safeParse({ ...claimsOf(certificate), certificate: {} }).error).toBeDefined();
});
