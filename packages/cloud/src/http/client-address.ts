/** What a request says about its source and destination, and how much of that is trusted. */
import type { IncomingMessage } from 'node:http';

type Asked = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Returns the address of a client: that of the connection or, behind `hops` trusted proxies, the
 * one that the outermost of these saw. Each proxy appends to `X-Forwarded-For`, so a client's own
 * claim is further left and is ignored.
 */
export function clientAddress({ headers, socket }: Asked, hops: number): string {
  const direct = socket.remoteAddress ?? 'unknown';
  return hops === 0 ? direct : partsOf(headers['x-forwarded-for']).at(-hops) || direct;
}

/**
 * Returns the host that a client asked for, with its scheme where that is not http: from the
 * request or, behind trusted proxies, the one that the outermost of these was asked for. They must
 * set `X-Forwarded-Host` and `X-Forwarded-Proto`, or remove the client's values.
 */
export function hostAskedFor({ headers }: Pick<Asked, 'headers'>, hops: number): string | undefined {
  const { host } = headers;
  if (hops === 0) return host;
  const asked = outermost(headers['x-forwarded-host'], hops) || host;
  const isSecure = outermost(headers['x-forwarded-proto'], hops).toLowerCase() === 'https';
  return asked && isSecure ? `https://${asked}` : asked;
}

/** Some proxies append to a list, others replace the value. */
function outermost(header: string | string[] | undefined, hops: number): string {
  const parts = partsOf(header);
  return parts.at(-hops) ?? parts[0] ?? '';
}

const partsOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((each) => each.trim());
