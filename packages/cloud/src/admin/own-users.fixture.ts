/** An application with an issuer of its own, which signs tokens for its users. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { newRefreshToken, openApplication } from './applications.fixture.ts';

export const ISSUER = {
  issuer: 'https://id.app.example/',
  jwksUrl: 'https://id.app.example/keys.json',
  audience: 'fixpoint',
};

export async function newIssuerKey(kid: string, alg = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, published: { ...(await exportJWK(publicKey)), kid, alg } };
}
export type IssuerKey = Awaited<ReturnType<typeof newIssuerKey>>;

/** Signs a token of a user that is valid for an hour, with these changes. */
export const tokenBy = (
  { alg, kid, privateKey }: Pick<IssuerKey, 'alg' | 'kid' | 'privateKey'>,
  nowMs: number,
  claims: JWTPayload = {},
): Promise<string> => {
  const seconds = Math.floor(nowMs / 1000);
  const { issuer, audience } = ISSUER;
  const all = { iss: issuer, aud: audience, sub: 'user-1', iat: seconds, exp: seconds + 3600, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(privateKey);
};

export async function openOwnUsers() {
  const parts = await openApplication();
  const { ada, tenantId, applicationId, settings, published, clock, byPage } = parts;
  const openKey = async (name: string) => {
    const { ledger } = await ada.ask('reqCreateLedger', { ledger: { tenantId, name, kind: 'open-key' } });
    return ledger.ledgerId;
  };
  const ledgerId = await openKey('shopping');
  const key = await newIssuerKey('k1');
  published.set(ISSUER.jwksUrl, { keys: [key.published] });
  await ada.ask('reqUpdateApplication', { tenantId, applicationId, ...settings, issuer: ISSUER });
  const tokenOf = (claims: JWTPayload = {}) => tokenBy(key, clock.ms, claims);
  const exchange = (token: string, refreshToken = newRefreshToken(), origin?: string) =>
    byPage('reqExchangeApplicationToken', { token, refreshToken }, origin);
  /** Signs a user in, and returns the answer with the refresh token. */
  const enter = async (claims: JWTPayload = {}) => {
    const refreshToken = newRefreshToken();
    const answer = await exchange(await tokenOf(claims), refreshToken);
    const user = answer['user'] as { readonly userId: string; readonly name: string; readonly email: string };
    return { ...answer, user, refreshToken, accessToken: String(answer['accessToken']) };
  };
  /** Signs in a user who may write to the database. */
  const writer = (claims: JWTPayload = {}) => enter({ fixpoint_rights: { [ledgerId]: 'write' }, ...claims });
  const rightsOf = async (userId: string) => {
    const rows = await parts.db
      .selectFrom('LedgerUsers')
      .select(['ledgerId', 'right'])
      .where('userId', '=', userId)
      .where('status', '=', 'active')
      .execute();
    return Object.fromEntries(rows.map((row) => [row.ledgerId, row.right]));
  };
  return { ...parts, ledgerId, openKey, key, tokenOf, exchange, enter, writer, rightsOf };
}
