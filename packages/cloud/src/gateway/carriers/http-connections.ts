/**
 * Connections over HTTP, where no transport stays open between requests. The server derives `resId`
 * by signing the user's id and the client's `reqId`. So every process recognises the connection,
 * even after a restart. If a returning client sends a different `resId`, this process remembers
 * that id for a while.
 */
import { createHmac } from 'node:crypto';
import type { Carrier } from './carrier.ts';
import { pairOf, requireConnIds } from './carrier.ts';

const REMEMBERED_MAX = 10_000;

export type HttpClient = Pick<Carrier, 'origin' | 'address' | 'capabilities'>;

/** @param secret key of the signatures, which all processes of a cloud share */
export function httpConnections(secret: Uint8Array): (client: HttpClient) => Carrier {
  const taken = boundedSet();
  const closed = boundedSet();
  const resIdOf = (userId: string, reqId: string) =>
    `h${createHmac('sha256', secret)
      .update(pairOf(userId, { reqId, resId: '' }))
      .digest('base64url')
      .slice(0, 22)}`;

  return (client) => ({
    kind: 'http',
    ...client,
    open: ({ userId }, reqId, given) => {
      const conn = { reqId, resId: given ?? resIdOf(userId, reqId) };
      requireConnIds(reqId, conn.resId);
      closed.delete(pairOf(userId, conn));
      if (conn.resId !== resIdOf(userId, reqId)) taken.add(pairOf(userId, conn));
      return conn;
    },
    isOpen: (userId, conn) => {
      const pair = pairOf(userId, conn);
      return taken.has(pair) || (conn.resId === resIdOf(userId, conn.reqId) && !closed.has(pair));
    },
    close: (userId, conn) => {
      const pair = pairOf(userId, conn);
      taken.delete(pair);
      closed.add(pair);
    },
  });
}

/** Creates a set that drops its oldest item when it is full. */
function boundedSet() {
  const entries = new Set<string>();
  return {
    has: (entry: string) => entries.has(entry),
    delete: (entry: string) => entries.delete(entry),
    add: (entry: string) => {
      entries.delete(entry);
      entries.add(entry);
      if (entries.size > REMEMBERED_MAX) for (const oldest of entries) return void entries.delete(oldest);
    },
  };
}
