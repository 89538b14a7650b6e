/** What a request says of where it comes from and where it went, and how much of that is believed. */
import type { IncomingMessage } from 'node:http';

type Asked = Pick<IncomingMessage, 'headers'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * The address of a client: that of the connection, or, behind `hops` proxies of one's own, what the outermost of these saw. Each proxy appends to
 * `X-Forwarded-For`, so what a client says itself stands further left and counts for nothing.
 */
export function clientAddress({ headers, socket }: Asked, hops: number): string {
  const direct = socket.remoteAddress ?? 'unknown';
  return hops === 0 ? direct : partsOf(headers['x-forwarded-for']).at(-hops) || direct;
}

/**
 * The host that a client asked for, with its scheme where that is not http: what the request says, or, behind proxies of one's own, what the outermost of these
 * was asked for. They have to set `X-Forwarded-Host` and `X-Forwarded-Proto`, or to take away what the client says in these.
 */
export function hostAskedFor({ headers }: Pick<Asked, 'headers'>, hops: number): string | undefined {
  const { host } = headers;
  if (hops === 0) return host;
  const asked = outermost(headers['x-forwarded-host'], hops) || host;
  const isSecure = outermost(headers['x-forwarded-proto'], hops).toLowerCase() === 'https';
  return asked && isSecure ? `https://${asked}` : asked;
}

/** Some proxies add to a list, others put one value in its place. */
function outermost(header: string | string[] | undefined, hops: number): string {
  const parts = partsOf(header);
  return parts.at(-hops) ?? parts[0] ?? '';
}

const partsOf = (header: string | string[] | undefined): string[] =>
  String(header ?? '')
    .split(',')
    .map((each) => each.trim());
