import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { onTestFinished } from 'vitest';

/** Listens on a free port of this machine until the test ends. Returns the address. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CLIENT_SECRET = 'a secret of the client';

/** The configuration of a server that uses this provider. */
export const oidcEnv = (issuer: string) => ({
  AUTH: 'oidc',
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: 'fixpoint',
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
});

/**
 * Creates a provider for the server at `cloudUrl`. It signs in anyone under the name that they
 * type.
 */
export function oidcProvider(
  issuer: string,
  cloudUrl: string,
  emailVerified = true,
): ReturnType<Provider['callback']> {
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: 'fixpoint',
        client_secret: CLIENT_SECRET,
        redirect_uris: [`${cloudUrl}/auth/callback/oidc`],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'org_id', 'org_name', 'org_role'],
    },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({
        sub: id,
        email: `${id}@example.com`,
        email_verified: emailVerified,
        name: id,
        org_id: 'org_1',
        org_name: 'Acme',
        org_role: id === 'ada' ? 'admin' : 'member',
      }),
    }),
  });
  return provider.callback();
}
