/**
 * Fetches documents of the identity provider that the operator configured. The code of this folder
 * sends no other requests (S14).
 */
import { FixpointError, urlOf } from '@fixpoint/protocol';

const TIMEOUT_MS = 5000;
const BYTES_MAX = 262_144;

/**
 * Returns whether a URL may belong to a provider: HTTPS to a host that isn't link-local, or a
 * server of this machine.
 */
export function isProviderUrl(text: string): boolean {
  const url = urlOf(text);
  if (url === undefined || url.username !== '' || LINK_LOCAL.test(url.hostname)) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isHere(text));
}

/** Returns whether an address is on this machine. */
export const isHere = (text: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(text).hostname);

/** Link-local addresses, where clouds serve credentials to machines. No provider uses them. */
const LINK_LOCAL = /^169\.254\.|^\[fe[89ab]/i;

/**
 * Fetches JSON. Rejects redirects, long answers, and answers that take more than five seconds.
 * @throws FixpointError FETCH
 */
export async function fetchProviderJson(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  try {
    if (!isProviderUrl(url)) throw new Error('not an https address');
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { headers, redirect: 'error', signal });
    if (!response.ok) throw new Error(`status ${response.status}`);
    let text = '';
    const decoder = new TextDecoder();
    for await (const part of response.body ?? []) {
      text += decoder.decode(part, { stream: true });
      if (text.length > BYTES_MAX) throw new Error('too long');
    }
    return JSON.parse(text);
  } catch (cause) {
    throw new FixpointError('FETCH', `${url}: ${(cause as Error).message}`, { cause });
  }
}
