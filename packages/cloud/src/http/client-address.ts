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
  if (hops === 0) return direct;
  const seen = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((each) => each.trim());
  return seen.at(-hops) || direct;
}
