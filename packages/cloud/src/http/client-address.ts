/**
 * Reads the client address and the requested host from headers, as far as the proxies are trusted.
 */
import type { IncomingMessage } from 'node:http';

type Asked = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Returns the address of a client: the connection's, or the one that the outermost of `hops`
 * trusted proxies saw. Each proxy appends to `X-Forwarded-For`, so addresses that the client added
 * are further left, and are ignored.
 */
export function clientAddress({ headers, socket }: Asked, hops: number): string {
  const direct = socket.remoteAddress ?? 'unknown';
  return hops === 0 ? direct : partsOf(headers['x-forwarded-for']).at(-hops) || direct;
}

/**
 * Returns the host that a client requested, with the scheme unless it is http. Behind trusted
 * proxies this is the host that the outermost one reports. Proxies must set `X-Forwarded-Host` and
 * `X-Forwarded-Proto`, or remove the client's values.
 */
export function hostAskedFor({ headers }: Pick<Asked, 'headers'>, hops: number): string | undefined {
  const { host } = headers;
  if (hops === 0) return host;
  const asked = outermost(headers['x-forwarded-host'], hops) || host;
  const isSecure = outermost(headers['x-forwarded-proto'], hops).toLowerCase() === 'https';
  return asked && isSecure ? `https://${asked}` : asked;
}

/**
 * Returns the value that the outermost proxy added. Some proxies append to a list, others replace
 * it.
 */
function outermost(header: string | string[] | undefined, hops: number): string {
  const parts = partsOf(header);
  return parts.at(-hops) ?? parts[0] ?? '';
}

const partsOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((each) => each.trim());
