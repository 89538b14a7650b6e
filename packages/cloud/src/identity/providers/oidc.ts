/**
 * Signs users in with an OpenID Connect provider that the operator configured, instead of passwords
 * or in addition to them. Uses the code flow with PKCE, state and nonce. This server keeps the
 * session.
 */
import { FixpointError } from '@fixpoint/protocol';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { decodeJwt } from 'jose';
import { readOrganization } from './organization.ts';
import { fetchProviderJson, isHere, isProviderUrl } from './provider-fetch.ts';

/** The provider's name in routes: `/auth/callback/oidc`. */
export const OIDC_PROVIDER = 'oidc';

export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /**
   * Whether organisations of the provider are mapped to tenants. Requires that only this provider
   * signs people in.
   */
  readonly hasOrganizations: boolean;
}

const discoveryUrl = ({ issuer }: OidcClient) => `${issuer}/.well-known/openid-configuration`;

/** The provider's metadata that the library doesn't read. */
export interface OidcMetadata {
  /** URL for claims about a person that the ID token lacks. */
  readonly userInfoUrl: string | undefined;
}

/**
 * Checks that the provider answers, and that its issuer is the configured one.
 * @throws FixpointError FETCH
 */
export async function checkProvider(client: OidcClient): Promise<OidcMetadata> {
  const found = (await fetchProviderJson(discoveryUrl(client))) as Record<string, unknown>;
  if (found['issuer'] !== client.issuer)
    throw new FixpointError('FETCH', 'the provider names another issuer');
  const urlOf = (name: string): string => {
    const url = String(found[name]);
    // A remote provider must not point to a server of this machine.
    if (!isProviderUrl(url) || (isHere(url) && !isHere(client.issuer)))
      throw new FixpointError('FETCH', `the provider has no ${name}`);
    return url;
  };
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) urlOf(name);
  const hasUserInfo = found['userinfo_endpoint'] !== undefined;
  return { userInfoUrl: hasUserInfo ? urlOf('userinfo_endpoint') : undefined };
}

export const oidcPlugin = (client: OidcClient, { userInfoUrl }: OidcMetadata, disableSignUp: boolean) =>
  genericOAuth({
    config: [
      {
        providerId: OIDC_PROVIDER,
        discoveryUrl: discoveryUrl(client),
        clientId: client.clientId,
        ...(client.clientSecret === undefined
          ? { tokenEndpointAuth: { method: 'none' as const } }
          : { clientSecret: client.clientSecret }),
        scopes: ['openid', 'email', 'profile'],
        pkce: true,
        requireIdTokenVerification: true,
        getUserInfo: (tokens) => readPerson(tokens, userInfoUrl),
        disableSignUp,
        // Updates the user at each sign-in, because the organisation that they act for can change.
        ...(client.hasOrganizations && { overrideUserInfo: true, mapProfileToUser: organizationOf }),
      },
    ],
  });

interface ProviderTokens {
  readonly idToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/**
 * Reads the person from the ID token, which the library has already verified, and from the
 * provider's user info about the same subject. Returns null if the provider sends no ID token, or
 * user info about somebody else.
 */
async function readPerson({ idToken, accessToken }: ProviderTokens, userInfoUrl: string | undefined) {
  if (idToken === undefined) return null;
  const claims = decodeJwt(idToken);
  const more =
    claims['email'] !== undefined || userInfoUrl === undefined
      ? {}
      : await fetchProviderJson(userInfoUrl, { authorization: `Bearer ${accessToken}` }).catch(
          () => undefined,
        );
  const { sub: told = claims.sub } = (more ?? {}) as { sub?: unknown };
  if (more === undefined || claims.sub === undefined || told !== claims.sub) return null;
  const person: Record<string, unknown> = { ...(more as object), ...claims };
  const { email, email_verified: emailVerified, name, picture } = person;
  return {
    ...person,
    id: claims.sub,
    sub: claims.sub,
    ...(typeof email === 'string' && { email }),
    emailVerified: emailVerified === true,
    ...(typeof name === 'string' && { name }),
    ...(typeof picture === 'string' && { image: picture }),
  };
}

/** Stores the organisation in the user's row, as JSON. Identity tokens get it from there. */
const organizationOf = (profile: Readonly<Record<string, unknown>>) => ({
  organization: JSON.stringify(readOrganization(profile) ?? null),
});
