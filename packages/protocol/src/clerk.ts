/**
 * Rules for the configuration of the Clerk sign-in provider (spec §5), shared by the server and the
 * console.
 */
import { urlOf } from './url.ts';

export interface PublishableKey {
  readonly instance: 'test' | 'live';
  /** Host of the provider's frontend, such as `clerk.example.com`; may include a port. */
  readonly frontendHost: string;
}

/**
 * Parses `pk_test_` or `pk_live_` followed by the base64 of the frontend host and a dollar sign.
 * Returns undefined for any other text.
 */
export function parsePublishableKey(text: string): PublishableKey | undefined {
  const [, instance, encoded = ''] = /^pk_(test|live)_([A-Za-z0-9+/=]+)$/.exec(text) ?? [];
  const [, frontendHost] =
    /^([a-z0-9.-]+\.[a-z]{2,}(?::\d{1,5})?|127\.0\.0\.1:\d{1,5}|localhost:\d{1,5})\$$/.exec(
      decoded(encoded),
    ) ?? [];
  if (frontendHost === undefined) return undefined;
  return { instance: instance === 'live' ? 'live' : 'test', frontendHost };
}

function decoded(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

/**
 * Returns whether the text is an absolute http or https URL, or a path that starts with exactly one
 * slash: two slashes would name another host.
 */
export function isProxyUrl(text: string): boolean {
  if (/^\/(?![/\\])[^\s\\]*$/.test(text)) return true;
  return /^https?:\/\/[^/\\]/.test(text) && urlOf(text) !== undefined;
}

const SCRIPT = 'npm/@clerk/clerk-js@6/dist/clerk.browser.js';

/**
 * Returns the URL of the provider's script: behind the proxy when there is one, otherwise at the
 * frontend host.
 */
export function clerkScriptUrl({ frontendHost }: PublishableKey, proxyUrl: string | undefined): string {
  const base = proxyUrl ?? `https://${frontendHost}`;
  return `${base.replace(/\/+$/, '')}/${SCRIPT}`;
}
