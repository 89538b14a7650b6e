/** The state of one websocket, with the connections that were opened on it. */
import { FixpointError } from '@fixpoint/protocol';
import type { WebSocket } from 'ws';
import { RateLimited } from '../../limits/rate-limiter.ts';
import { newId } from '../../tables/new-row.ts';
import type { Seat } from '../presence/room.ts';
import { type Carrier, type Opener, pairOf, requireConnIds } from './carrier.ts';

const CONNECTIONS_MAX = 100;
/** A socket with this many unread bytes gets no events about presence. */
const UNREAD_STATES_MAX = 131_072;

export interface SocketClient extends Pick<Carrier, 'origin' | 'address'> {
  /** Id of the request that opened the socket. Ids of its messages begin with it. */
  readonly requestId: string;
  /** The `traceparent` header of that request. */
  readonly traceparent?: string | undefined;
}

export interface Open {
  readonly socket: WebSocket;
  readonly pairs: Set<string>;
  /** Users that opened connections, each with the ledger that their token selected. */
  readonly openers: Map<string, Opener>;
  /** Functions that each stop one subscription, keyed by ledger and connection. */
  readonly stops: Map<string, () => void>;
  readonly seat: Seat;
  /** Number of messages that have arrived. */
  messages: number;
  /** Number of unanswered pings. */
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
  seat: seatOf(socket),
  messages: 0,
  silent: 0,
  waiting: 0,
  waitingBytes: 0,
  last: Promise.resolve(),
});

function seatOf(socket: WebSocket): Seat {
  const isOpen = () => socket.readyState === socket.OPEN;
  const isReading = () => isOpen() && socket.bufferedAmount <= UNREAD_STATES_MAX;
  return {
    isOpen,
    isReading,
    offer: (frame) => {
      if (!isReading()) return false;
      socket.send(frame, { binary: false });
      return true;
    },
  };
}

/** Counts and limits the sockets of each user. */
export interface Population {
  readonly most: number;
  of(userId: string): number;
  add(userId: string): void;
  remove(userId: string): void;
  /** Returns the number of sockets of the user who has most. */
  highest(): number;
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
    highest: () => {
      let highest = 0;
      for (const count of counts.values()) highest = Math.max(highest, count);
      return highest;
    },
  };
}

/**
 * Milliseconds after which the client retries: another socket of the user may have closed by then.
 */
const SOCKETS_LATER_MS = 10_000;
function tooManySockets(most: number): RateLimited {
  const error = new RateLimited(SOCKETS_LATER_MS);
  error.message += `, or close one of ${most} sockets of this user`;
  return error;
}

/**
 * Creates the carrier of a socket. All connections on the socket share its id, and close when it
 * closes.
 */
export function carrierOf(
  { pairs, openers, stops, seat }: Open,
  { origin, address }: Pick<Carrier, 'origin' | 'address'>,
  population: Population,
): Carrier {
  const ownId = newId();
  return {
    kind: 'socket',
    origin,
    address,
    seat,
    open: ({ userId, apiToken, selected }, reqId, given) => {
      const conn = { reqId, resId: given ?? ownId };
      requireConnIds(conn.reqId, conn.resId);
      if (pairs.size >= CONNECTIONS_MAX)
        throw new FixpointError('LIMIT_REACHED', `${CONNECTIONS_MAX} connections on one socket`);
      if (!openers.has(userId) && population.of(userId) >= population.most)
        throw tooManySockets(population.most);
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
