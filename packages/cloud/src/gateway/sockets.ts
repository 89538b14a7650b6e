/** Websockets of the gateway. Messages of one socket are answered in the order in which they came. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as setPause } from 'node:timers/promises';
import { FixpointError } from '@fixpoint/protocol';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { CutReason, GatewayWatch } from '../observe/gateway-watch.ts';
import type { LedgerRights } from '../rights/rights.ts';
import { newId } from '../tables/new-row.ts';
import { type Binding, type Carrier, isConnId, type Opener, pairOf } from './carrier.ts';
import type { Gateway } from './dispatch.ts';
import type { FanOut } from './fan-out.ts';
import { parseJson } from './parse-json.ts';
import { refusalAnswer, refuse } from './refusal.ts';

export const FRAME_BYTES_MAX = 1_048_576;
const UNREAD_BYTES_MAX = 1_048_576;
const HEARTBEAT_MS = 30_000;
/** In which a socket must have opened a connection. */
const GREETING_MS = 10_000;
const SOCKETS_PER_USER_MAX = 200;
const WAITING_MAX = 256;
const CONNECTIONS_MAX = 100;
const FINISH_MS = 5000;
/** Clients that all return at once would be a flood: they are told one after another. */
const [GOODBYE_MS_EACH, GOODBYES_MS_MAX] = [2, 4000];
/** Close codes: policy, restart. */
const [POLICY, RESTART] = [1008, 1012];

export interface SocketParts {
  readonly gateway: Gateway;
  readonly fanOut: FanOut;
  readonly rights: LedgerRights;
  readonly watch: GatewayWatch;
  readonly report: (error: unknown) => void;
  readonly heartbeatMs?: number;
  readonly greetingMs?: number;
}

export type SocketClient = Pick<Carrier, 'origin' | 'address'>;

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, client: SocketClient): void;
  count(): number;
  /** Messages that came and are not answered yet. */
  waiting(): number;
  /** Tells all that the server restarts, and waits for what they asked to be done. */
  close(): Promise<void>;
}

interface Open {
  readonly socket: WebSocket;
  readonly pairs: Set<string>;
  /** Who opened connections, with the ledger of each. */
  readonly openers: Map<string, Opener>;
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
  const { watch, rights, heartbeatMs = HEARTBEAT_MS, greetingMs = GREETING_MS } = parts;

  function cut({ socket }: Open, reason: CutReason): void {
    watch.cut(reason);
    socket.close(POLICY, `the server closed: ${reason}`);
  }

  const countOf = (userId: string) => [...opened].filter(({ openers }) => openers.has(userId)).length;

  function accept(socket: WebSocket, client: SocketClient): void {
    const open: Open = {
      socket,
      pairs: new Set(),
      openers: new Map(),
      stops: new Map(),
      silent: 0,
      waiting: 0,
      last: Promise.resolve(),
    };
    const carrier = carrierOf(open, client, countOf);
    opened.add(open);
    const greeting = setTimeout(() => open.pairs.size === 0 && cut(open, 'never opened'), greetingMs);
    socket.on('pong', () => {
      open.silent = 0;
    });
    socket.on('close', () => {
      clearTimeout(greeting);
      opened.delete(open);
      for (const stop of open.stops.values()) stop();
      open.stops.clear();
    });
    socket.on('error', () => socket.terminate());
    socket.on('message', (data) => {
      if (open.waiting >= WAITING_MAX) return cut(open, 'flood');
      open.waiting += 1;
      open.last = open.last
        .then(() => answer(open, carrier, data))
        .catch(parts.report)
        .finally(() => {
          open.waiting -= 1;
        });
    });
  }

  /** A consumer that does not read is cut: it resumes from its cursor. */
  function sendText({ socket }: Open, text: string): void {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > UNREAD_BYTES_MAX) {
      watch.cut('not reading');
      socket.terminate();
    } else socket.send(text);
  }
  const send = (open: Open, message: unknown) => sendText(open, JSON.stringify(message));

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
      cut: () => cut(open, 'right ended'),
    });
    open.stops.set(name, stop);
  }

  const heartbeat = setInterval(() => {
    for (const open of opened) {
      if (open.silent > 0) {
        watch.cut('silent');
        open.socket.terminate();
      }
      open.silent += 1;
      if (open.socket.readyState === open.socket.OPEN) open.socket.ping();
    }
    checkOpeners().catch(parts.report);
  }, heartbeatMs);

  /** Who follows a ledger is looked after by the fan-out; others are looked at here. */
  async function checkOpeners(): Promise<void> {
    for (const open of [...opened].filter(({ stops }) => stops.size === 0))
      for (const { userId, selected } of open.openers.values()) {
        if (selected.tenant === undefined || selected.ledger === undefined) continue;
        const access = await rights.accessTo(userId, selected.tenant, selected.ledger);
        if (access === 'none' && opened.has(open)) cut(open, 'right ended');
      }
  }

  return {
    count: () => opened.size,
    waiting: () => [...opened].reduce((sum, { waiting }) => sum + waiting, 0),
    upgrade: (request, socket, head, client) =>
      server.handleUpgrade(request, socket, head, (accepted) => accept(accepted, client)),
    close: async () => {
      clearInterval(heartbeat);
      const all = [...opened];
      const each = Math.min(GOODBYE_MS_EACH, GOODBYES_MS_MAX / Math.max(1, all.length));
      const waits = all.map(async ({ socket, last }, index) => {
        const gone = new Promise((done) => socket.once('close', done));
        await setPause(Math.floor(index * each));
        await last;
        socket.close(RESTART, 'the server restarts');
        await within(FINISH_MS, gone);
        socket.terminate();
      });
      await within(FINISH_MS * 2 + GOODBYES_MS_MAX, Promise.all(waits));
    },
  };
}

/** Connections of a socket end with it. A socket has one id, which all connections opened on it share. */
function carrierOf(
  { pairs, openers, stops }: Open,
  client: SocketClient,
  countOf: (userId: string) => number,
): Carrier {
  const ownId = newId();
  return {
    kind: 'socket',
    ...client,
    open: (opener, reqId, given) => {
      const { userId, selected } = opener;
      const conn = { reqId, resId: given ?? ownId };
      if (!isConnId(conn.reqId) || !isConnId(conn.resId) || pairs.size >= CONNECTIONS_MAX)
        throw new FixpointError('REQUEST_INVALID', 'connection');
      if (!openers.has(userId) && countOf(userId) >= SOCKETS_PER_USER_MAX)
        throw new FixpointError('RATE_LIMITED', `${SOCKETS_PER_USER_MAX} sockets of one user`);
      pairs.add(pairOf(userId, conn));
      openers.set(userId, { userId, selected });
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
    return parseJson(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, tooLate]);
  clearTimeout(timer);
}
