/**
 * Finds the address of a client, and the host that the client requested. Trusts only those header
 * values that trusted proxies added.
 */
import type { IncomingMessage } from 'node:http';

type Asked = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Returns the address of a client: the connection's, or the one that the outermost of `hops`
 * trusted proxies saw. Each proxy appends an address to `X-Forwarded-For`. Addresses further left
 * may come from the client, so this function ignores them.
 */
export function clientAddress({ headers, socket }: Asked, hops: number): string {
  const direct = socket.remoteAddress ?? 'unknown';
  return hops === 0 ? direct : partsOf(headers['x-forwarded-for']).at(-hops) || direct;
}

/**
 * Returns whether a request came through all trusted proxies, so that headers that they set can be
 * trusted. A request that bypassed a proxy lacks its address.
 */
export const cameThroughProxies = ({ headers }: Pick<Asked, 'headers'>, hops: number): boolean =>
  hops > 0 && partsOf(headers['x-forwarded-for']).filter((each) => each !== '').length >= hops;

/**
 * Returns the host that a client requested. Behind trusted proxies, this is the host that the
 * outermost proxy reports, with `https://` in front if it reports that scheme. Trusted proxies must
 * set `X-Forwarded-Host` and `X-Forwarded-Proto`, or remove the values that the client sent.
 */
export function hostAskedFor({ headers }: Pick<Asked, 'headers'>, hops: number): string | undefined {
  const { host } = headers;
  if (hops === 0) return host;
  const asked = outermost(headers['x-forwarded-host'], hops) || host;
  const isSecure = outermost(headers['x-forwarded-proto'], hops).toLowerCase() === 'https';
  return asked && isSecure ? `https://${asked}` : asked;
}

/**
 * Returns the value that the outermost proxy added. Some proxies append to the list in the header,
 * others replace the list.
 */
function outermost(header: string | string[] | undefined, hops: number): string {
  const parts = partsOf(header);
  return parts.at(-hops) ?? parts[0] ?? '';
}

const partsOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((each) => each.trim());
