/** Reads from the server which identity provider signs users in. */
import { FixpointError, isProxyUrl, type PublishableKey, parsePublishableKey } from '@fixpoint/protocol';

export interface ClerkConfig {
  readonly kind: 'clerk';
  readonly publishableKey: string;
  readonly key: PublishableKey;
  readonly proxyUrl: string | undefined;
  /** The token template that includes the email address. */
  readonly template: string;
}

/** Sign-in by this server itself, by an OpenID Connect provider, or by both. */
export interface OwnConfig {
  readonly kind: 'builtin' | 'oidc';
  readonly passkeys: boolean;
  /** Whether the server supports an app's code as a second step. */
  readonly secondFactor: boolean;
  /** The label of the button for an OpenID Connect provider; undefined without such a provider. */
  readonly elsewhere: string | undefined;
  /** Access that the console suggests to revoke when sessions end; undefined to suggest none. */
  readonly signOutEnds?: 'devices' | 'all';
  /** Set if not everybody can create an account at once. */
  readonly signUp?: 'waitlist' | 'closed';
}

export type ProviderConfig = OwnConfig | ClerkConfig;

const PATH = '/.well-known/fixpoint.json';

/**
 * Reads the provider settings. @throws FixpointError FETCH; CONFIG_INVALID for a key or an address
 * in the wrong format (spec §5)
 */
export async function readProvider(fetch: typeof globalThis.fetch): Promise<ProviderConfig> {
  const response = await fetch(PATH).catch((cause: Error) => {
    throw new FixpointError('FETCH', cause.message, { cause });
  });
  // Without a Fixpoint server, nobody can sign in. The console's other requests report the missing
  // server.
  const told = response.ok ? await response.json().catch(() => ({})) : {};
  const signUp = (['waitlist', 'closed'] as const).find((one) => one === told.signUp);
  const signIn = (told as { signIn?: Record<string, unknown> }).signIn ?? {};
  if (signIn['kind'] === 'clerk') return readClerk(signIn);
  const kind = signIn['kind'] === 'oidc' ? 'oidc' : 'builtin';
  const ends = (['devices', 'all'] as const).find((one) => one === signIn['signOutEnds']);
  const { provider } = signIn as { provider?: { name?: unknown } };
  const name = typeof provider?.name === 'string' ? provider.name : 'single sign-on';
  return {
    kind,
    passkeys: signIn['passkeys'] === true,
    secondFactor: signIn['secondFactor'] !== undefined,
    ...(ends !== undefined && { signOutEnds: ends }),
    ...(signUp && { signUp }),
    elsewhere: kind === 'oidc' || provider !== undefined ? `Continue with ${name}` : undefined,
  };
}

function readClerk({ publishableKey, proxyUrl, template }: Record<string, unknown>): ClerkConfig {
  const key = typeof publishableKey === 'string' ? parsePublishableKey(publishableKey) : undefined;
  if (key === undefined)
    throw new FixpointError('CONFIG_INVALID', 'the publishable key of the sign-in provider');
  if (proxyUrl !== undefined && !(typeof proxyUrl === 'string' && isProxyUrl(proxyUrl)))
    throw new FixpointError('CONFIG_INVALID', 'the proxy address of the sign-in provider');
  if (typeof template !== 'string')
    throw new FixpointError('CONFIG_INVALID', 'the token template of the sign-in provider');
  return { kind: 'clerk', publishableKey: publishableKey as string, key, proxyUrl, template };
}
