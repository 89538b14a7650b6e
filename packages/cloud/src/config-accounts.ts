/** Reads the configuration of identity providers, sign-up and mail. */
import { FixpointError, isProxyUrl, parsePublishableKey, urlOf } from '@fixpoint/protocol';
import { isProviderUrl } from './identity/providers/provider-fetch.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether a new user is admitted at once, waits for an operator, or is rejected. */
export type SignUp = 'open' | 'waitlist' | 'closed';

/** Whether people may, or must, use two factors. */
export type SecondFactor = 'optional' | 'required';

export interface SmtpConfig {
  readonly url: string;
  readonly from: string;
}

/**
 * Returns undefined if no mail server is configured. Errors don't repeat the value, because it may
 * contain a password.
 * @throws FixpointError CONFIG_INVALID
 */
export function smtpFrom(env: Environment): SmtpConfig | undefined {
  const text = env['SMTP_URL'];
  if (!text) return undefined;
  const url = urlOf(text);
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === '')
    return refuse('SMTP_URL must be an address such as smtp://user:password@mail.example.com:587');
  const from = env['MAIL_FROM'] || `Fixpoint <no-reply@${url.hostname}>`;
  return /^[^<>\r\n]*<[^@\s<>]+@[^@\s<>]+>$|^[^@\s<>]+@[^@\s<>]+$/.test(from)
    ? { url: text, from }
    : refuse('MAIL_FROM must be an address such as Fixpoint <no-reply@example.com>');
}

/** A provider of OpenID Connect. */
export interface OidcConfig {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  /** The name by which people know the provider. */
  readonly name: string | undefined;
  readonly hasOrganizations: boolean;
}

/** The identity providers of this server. */
export type IdentityConfig =
  /** This server signs people in itself. The provider in `beside` can sign them in, too. */
  | { readonly kind: 'builtin'; readonly beside?: OidcConfig }
  | {
      readonly kind: 'clerk';
      readonly publishableKey: string;
      readonly proxyUrl: string | undefined;
      /** The provider's template whose tokens include the email address. */
      readonly template: string;
      readonly issuer: string;
      readonly keysUrl: string;
      readonly hasOrganizations: boolean;
    }
  | ({ readonly kind: 'oidc' } & OidcConfig);

/** @throws FixpointError CONFIG_INVALID */
export function identityFrom(env: Environment): IdentityConfig {
  const kind = env['AUTH'] || 'builtin';
  if (kind === 'builtin') return { kind, ...(env['OIDC_ISSUER'] && { beside: besidePasswords(env) }) };
  if (kind === 'clerk') return clerkFrom(env);
  if (kind === 'oidc') return { kind, ...oidcFrom(env) };
  return refuse(`AUTH=${kind} is not one of builtin, clerk, oidc`);
}

function clerkFrom(env: Environment): IdentityConfig {
  const publishableKey = env['CLERK_PUBLISHABLE_KEY'] ?? '';
  const key = parsePublishableKey(publishableKey);
  if (key === undefined)
    return refuse('AUTH=clerk needs CLERK_PUBLISHABLE_KEY, such as pk_live_ and the base64 of a host and $');
  const proxyUrl = env['CLERK_PROXY_URL'] || undefined;
  if (proxyUrl !== undefined && !isProxyUrl(proxyUrl))
    return refuse(
      `CLERK_PROXY_URL=${proxyUrl} must be an absolute address, or a path that begins with one slash`,
    );
  const issuer = env['CLERK_ISSUER'] || `https://${key.frontendHost}`;
  const keysUrl = env['CLERK_JWKS_URL'] || `${issuer}/.well-known/jwks.json`;
  if (!isProviderUrl(keysUrl)) return refuse(`CLERK_JWKS_URL=${keysUrl} must be an https address`);
  const template = env['CLERK_TEMPLATE'] || 'with-email';
  const hasOrganizations = organizationsFrom(env);
  return { kind: 'clerk', publishableKey, proxyUrl, template, issuer, keysUrl, hasOrganizations };
}

/**
 * Reads the provider that people may use besides passwords. Rejects options that don't work
 * together with passwords (decision 0091).
 */
function besidePasswords(env: Environment): OidcConfig {
  const provider = oidcFrom(env);
  if (provider.hasOrganizations) return refuse('ORGANIZATIONS=tenants needs AUTH=oidc or AUTH=clerk');
  if (env['SECOND_FACTOR'] === 'required')
    return refuse(
      'SECOND_FACTOR=required does not work with OIDC_ISSUER: set AUTH=oidc, or unset one of the two',
    );
  return provider;
}

const NAME_CHARS_MAX = 40;

function oidcFrom(env: Environment): OidcConfig {
  const [issuer = '', clientId = ''] = [env['OIDC_ISSUER'], env['OIDC_CLIENT_ID']];
  if (!isProviderUrl(issuer)) return refuse('sign-in by a provider needs OIDC_ISSUER, an https address');
  if (clientId === '') return refuse('sign-in by a provider needs OIDC_CLIENT_ID');
  const name = env['OIDC_NAME'] || undefined;
  if (name !== undefined && name.length > NAME_CHARS_MAX)
    return refuse(`OIDC_NAME has more than ${NAME_CHARS_MAX} characters`);
  return {
    issuer: issuer.replace(/\/+$/, ''),
    clientId,
    clientSecret: env['OIDC_CLIENT_SECRET'] || undefined,
    name,
    hasOrganizations: organizationsFrom(env),
  };
}

function organizationsFrom(env: Environment): boolean {
  const text = env['ORGANIZATIONS'] || 'off';
  return text === 'tenants' || (text !== 'off' && refuse(`ORGANIZATIONS=${text} is not one of off, tenants`));
}

const refuse = (why: string): never => {
  throw new FixpointError('CONFIG_INVALID', why);
};
