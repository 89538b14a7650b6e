/** Websockets of the gateway. Messages of one socket are answered in the order in which they came. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { FixpointError } from '@fixpoint/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { newId } from '../tables/new-row.ts';
import { type Binding, type Carrier, isConnId, pairOf } from './carrier.ts';
import type { Gateway } from './dispatch.ts';
import type { FanOut } from './fan-out.ts';
import { refusalAnswer, refuse } from './refusal.ts';

export const FRAME_BYTES_MAX = 1_048_576;
const UNREAD_BYTES_MAX = 1_048_576;
const HEARTBEAT_MS = 30_000;
const WAITING_MAX = 256;
const CONNECTIONS_MAX = 100;
const FINISH_MS = 5000;
/** Close codes: policy, try again later, restart. */
const [POLICY, RESTART] = [1008, 1012];

export interface SocketParts {
  readonly gateway: Gateway;
  readonly fanOut: FanOut;
  readonly report: (error: unknown) => void;
}

export interface Sockets {
  /** @param origin scheme and host by which the client reached this server */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, origin: string): void;
  count(): number;
  /** Tells all that the server restarts, and waits for what they asked to be done. */
  close(): Promise<void>;
}

interface Open {
  readonly socket: WebSocket;
  readonly pairs: Set<string>;
  /** What stops the following of a ledger, by connection and ledger. */
  readonly stops: Map<string, () => void>;
  /** Pings that it has not answered. */
  silent: number;
  waiting: number;
  last: Promise<void>;
}

export function createSockets(parts: SocketParts): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  const opened = new Set<Open>();

  function accept(socket: WebSocket, origin: string): void {
    const open: Open = {
      socket,
      pairs: new Set(),
      stops: new Map(),
      silent: 0,
      waiting: 0,
      last: Promise.resolve(),
    };
    const carrier = carrierOf(open, origin);
    opened.add(open);
    socket.on('pong', () => {
      open.silent = 0;
    });
    socket.on('close', () => {
      opened.delete(open);
      for (const stop of open.stops.values()) stop();
      open.stops.clear();
    });
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      if (open.waiting >= WAITING_MAX) return socket.close(POLICY, 'too many messages wait');
      open.waiting += 1;
      open.last = open.last
        .then(() => answer(open, carrier, data))
        .catch(parts.report)
        .finally(() => {
          open.waiting -= 1;
        });
    });
  }

  async function answer(open: Open, carrier: Carrier, data: RawData): Promise<void> {
    const body = parseFrame(data);
    if (body === undefined)
      return send(open, refusalAnswer(undefined, refuse('REQUEST_INVALID', 'not JSON')));
    const handled = await parts.gateway(body, carrier);
    send(open, handled.answer);
    if (handled.follow !== undefined) follow(open, handled.follow);
  }

  function follow(open: Open, binding: Binding): void {
    if (!opened.has(open)) return;
    const name = `${binding.ledger} ${binding.writer}`;
    open.stops.get(name)?.();
    const stop = parts.fanOut.follow(binding, {
      send: (text) => sendText(open, text),
      cut: () => open.socket.close(POLICY, 'the right ended'),
    });
    open.stops.set(name, stop);
  }

  const heartbeat = setInterval(() => {
    for (const open of opened) {
      if (open.silent > 0) open.socket.terminate();
      open.silent += 1;
      if (open.socket.readyState === open.socket.OPEN) open.socket.ping();
    }
  }, HEARTBEAT_MS);

  return {
    count: () => opened.size,
    upgrade: (request, socket, head, origin) =>
      server.handleUpgrade(request, socket, head, (accepted) => accept(accepted, origin)),
    close: async () => {
      clearInterval(heartbeat);
      const waits = [...opened].map(async ({ socket, last }) => {
        await last;
        socket.close(RESTART, 'the server restarts');
        await within(FINISH_MS, new Promise((done) => socket.once('close', done)));
        socket.terminate();
      });
      await within(FINISH_MS * 2, Promise.all(waits));
    },
  };
}

/** Connections of a socket end with it. A socket has one id, which all connections opened on it share. */
function carrierOf({ pairs, stops }: Open, origin: string): Carrier {
  const ownId = newId();
  return {
    kind: 'socket',
    origin,
    open: (userId, reqId, given) => {
      const conn = { reqId, resId: given ?? ownId };
      if (!isConnId(conn.reqId) || !isConnId(conn.resId) || pairs.size >= CONNECTIONS_MAX)
        throw new FixpointError('REQUEST_INVALID', 'connection');
      pairs.add(pairOf(userId, conn));
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

/** Frames are JSON as UTF-8, in text or binary; existing clients send binary. */
function parseFrame(data: RawData): unknown {
  try {
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer);
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const send = (open: Open, message: unknown): void => sendText(open, JSON.stringify(message));

/** A consumer that does not read is cut: it resumes from its cursor. */
function sendText({ socket }: Open, text: string): void {
  if (socket.bufferedAmount > UNREAD_BYTES_MAX) socket.terminate();
  else if (socket.readyState === socket.OPEN) socket.send(text);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, tooLate]);
  clearTimeout(timer);
}
