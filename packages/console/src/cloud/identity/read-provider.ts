/** Who vouches for people here, as the server says it. */
import { FixpointError, isProxyUrl, type PublishableKey, parsePublishableKey } from '@fixpoint/protocol';

export interface ClerkConfig {
  readonly kind: 'clerk';
  readonly publishableKey: string;
  readonly key: PublishableKey;
  readonly proxyUrl: string | undefined;
  /** The template whose tokens carry the address. */
  readonly template: string;
}

/** This server itself, a provider of OpenID Connect that it asks, or both. */
export interface OwnConfig {
  readonly kind: 'builtin' | 'oidc';
  readonly passkeys: boolean;
  /** Whether a code of an app can be asked for beside the password. */
  readonly secondFactor: boolean;
  /** The words on the button that leads to a provider of OpenID Connect, where there is one. */
  readonly elsewhere: string | undefined;
  /** What ends with all sessions unless the request says; undefined for nothing. */
  readonly signOutEnds?: 'devices' | 'all';
}

export type ProviderConfig = OwnConfig | ClerkConfig;

const PATH = '/.well-known/fixpoint.json';

/** @throws FixpointError FETCH; CONFIG_INVALID for a key or an address that has not the shape it must have (spec §5) */
export async function readProvider(fetch: typeof globalThis.fetch): Promise<ProviderConfig> {
  const response = await fetch(PATH).catch((cause: Error) => {
    throw new FixpointError('FETCH', cause.message, { cause });
  });
  // Where the console stands alone, without a server of ours, nobody can sign in, which its other questions show.
  const told = response.ok ? await response.json().catch(() => ({})) : {};
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
