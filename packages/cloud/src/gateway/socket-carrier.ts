/** What is known of one websocket, and the connections that were opened on it. */
import { FixpointError } from '@fixpoint/protocol';
import type { WebSocket } from 'ws';
import { newId } from '../tables/new-row.ts';
import { type Carrier, isConnId, type Opener, pairOf } from './carrier.ts';

const CONNECTIONS_MAX = 100;

export type SocketClient = Pick<Carrier, 'origin' | 'address'>;

export interface Open {
  readonly socket: WebSocket;
  readonly pairs: Set<string>;
  /** Who opened connections, with the ledger of each. */
  readonly openers: Map<string, Opener>;
  /** What stops the following of a ledger, by connection and ledger. */
  readonly stops: Map<string, () => void>;
  /** Pings that it has not answered. */
  silent: number;
  waiting: number;
  waitingBytes: number;
  last: Promise<void>;
}

export const newSocket = (socket: WebSocket): Open => ({
  socket,
  pairs: new Set(),
  openers: new Map(),
  stops: new Map(),
  silent: 0,
  waiting: 0,
  waitingBytes: 0,
  last: Promise.resolve(),
});

/** How many sockets each user has, and may have. */
export interface Population {
  readonly most: number;
  of(userId: string): number;
  add(userId: string): void;
  remove(userId: string): void;
}

export function createPopulation(most: number): Population {
  const counts = new Map<string, number>();
  return {
    most,
    of: (userId) => counts.get(userId) ?? 0,
    add: (userId) => void counts.set(userId, (counts.get(userId) ?? 0) + 1),
    remove: (userId) => {
      const left = (counts.get(userId) ?? 0) - 1;
      if (left > 0) counts.set(userId, left);
      else counts.delete(userId);
    },
  };
}

/** Connections of a socket end with it. A socket has one id, which all connections opened on it share. */
export function carrierOf(
  { pairs, openers, stops }: Open,
  client: SocketClient,
  population: Population,
): Carrier {
  const ownId = newId();
  return {
    kind: 'socket',
    ...client,
    open: ({ userId, apiToken, selected }, reqId, given) => {
      const conn = { reqId, resId: given ?? ownId };
      if (!isConnId(conn.reqId) || !isConnId(conn.resId) || pairs.size >= CONNECTIONS_MAX)
        throw new FixpointError('REQUEST_INVALID', 'connection');
      if (!openers.has(userId) && population.of(userId) >= population.most)
        throw new FixpointError('RATE_LIMITED', `${population.most} sockets of one user`);
      pairs.add(pairOf(userId, conn));
      if (!openers.has(userId)) population.add(userId);
      openers.set(userId, { userId, selected, ...(apiToken !== undefined && { apiToken }) });
      return conn;
    },
    isOpen: (userId, conn) => pairs.has(pairOf(userId, conn)),
    close: (userId, conn) => {
      const pair = pairOf(userId, conn);
      pairs.delete(pair);
      for (const [name, stop] of stops)
        if (name.endsWith(` ${pair}`)) {
          stop();
          stops.delete(name);
        }
    },
  };
}
