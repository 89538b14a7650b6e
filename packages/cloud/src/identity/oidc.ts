/** Sign-in by a provider of OpenID Connect, which the operator configured, alone or beside passwords: code flow with PKCE, state and nonce; the session is this server's own. */
import { FixpointError } from '@fixpoint/protocol';
import { genericOAuth } from 'better-auth/plugins/generic-oauth';
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

/** Looks whether the provider answers, as the one that was configured. @throws FixpointError FETCH */
export async function checkProvider(client: OidcClient): Promise<void> {
  const found = (await fetchProviderJson(discoveryUrl(client))) as Record<string, unknown>;
  if (found['issuer'] !== client.issuer) throw new FixpointError('FETCH', 'the provider is another issuer');
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
    const url = String(found[name]);
    // One that is elsewhere leads to no server of this machine.
    if (!isProviderUrl(url) || (isHere(url) && !isHere(client.issuer)))
      throw new FixpointError('FETCH', `the provider has no ${name}`);
  }
}

export const oidcPlugin = (client: OidcClient, disableSignUp: boolean) =>
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
        disableSignUp,
        // What the provider says of him now counts, with each sign-in: in whose name he acts can change.
        ...(client.hasOrganizations && { overrideUserInfo: true, mapProfileToUser: organizationOf }),
      },
    ],
  });

/** Kept with the session's user, as JSON, until an identity token is made. */
const organizationOf = (profile: Readonly<Record<string, unknown>>) => ({
  organization: JSON.stringify(readOrganization(profile) ?? null),
});
