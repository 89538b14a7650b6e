/** Sign-in by a provider of OpenID Connect, which the operator configured, alone or beside passwords: code flow with PKCE, state and nonce; the session is this server's own. */
import { FixpointError } from '@fixpoint/protocol';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
import { decodeJwt } from 'jose';
import { readOrganization } from './organization.ts';
import { fetchProviderJson, isHere, isProviderUrl } from './provider-fetch.ts';

/** Its name in routes: `/auth/callback/oidc`. */
export const OIDC_PROVIDER = 'oidc';

export interface OidcClient {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** Whether organisations of the provider are tenants; only where it signs people in alone. */
  readonly hasOrganizations: boolean;
}

const discoveryUrl = ({ issuer }: OidcClient) => `${issuer}/.well-known/openid-configuration`;

/** What the provider says of itself, as far as the library does not read it. */
export interface OidcMetadata {
  /** Where it tells of a person what the ID token does not. */
  readonly userInfoUrl: string | undefined;
}

/** Looks whether the provider answers, as the one that was configured. @throws FixpointError FETCH */
export async function checkProvider(client: OidcClient): Promise<OidcMetadata> {
  const found = (await fetchProviderJson(discoveryUrl(client))) as Record<string, unknown>;
  if (found['issuer'] !== client.issuer) throw new FixpointError('FETCH', 'the provider is another issuer');
  const urlOf = (name: string): string => {
    const url = String(found[name]);
    // One that is elsewhere leads to no server of this machine.
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
        // What the provider says of him now counts, with each sign-in: in whose name he acts can change.
        ...(client.hasOrganizations && { overrideUserInfo: true, mapProfileToUser: organizationOf }),
      },
    ],
  });

interface ProviderTokens {
  readonly idToken?: string | undefined;
  readonly accessToken?: string | undefined;
}

/**
 * Of the ID token, which the library has verified when it calls this, and of what the provider adds about the same subject. Null for a provider that gives no ID
 * token, about which nothing can be verified, or that speaks of somebody else.
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

/** Kept with the session's user, as JSON, until an identity token is made. */
const organizationOf = (profile: Readonly<Record<string, unknown>>) => ({
  organization: JSON.stringify(readOrganization(profile) ?? null),
});
