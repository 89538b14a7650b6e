/** Websockets of the gateway: requests and answers, and metas pushed to those that are bound to a ledger and may read it at that moment. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { MESSAGE_VERSION } from '@fixpoint/protocol';
import { type WebSocket, WebSocketServer } from 'ws';
import type { HintBus } from '../bus/local-bus.ts';
import type { LedgerRights } from '../rights/rights.ts';
import type { Db } from '../tables/database.ts';
import { newId } from '../tables/new-row.ts';
import type { Bind, Gateway } from './gateway.ts';
import { metasAfter } from './metas.ts';

const FRAME_BYTES_MAX = 1_048_576;
const UNREAD_BYTES_MAX = 1_048_576;
const HEARTBEAT_MS = 30_000;
const SWEEP_MS = 5000;

export interface SocketParts {
  readonly gateway: Gateway;
  readonly db: Db;
  readonly rights: LedgerRights;
  readonly bus: HintBus;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  readonly isAllowedOrigin: (origin: string) => boolean;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  count(): number;
  close(): void;
}

interface Open {
  readonly socket: WebSocket;
  readonly binds: Map<string, Bind>;
  alive: boolean;
  /** Pushes go one after another, so that metas come in the order of their sequence. */
  last: Promise<void>;
}

export function createSockets(parts: SocketParts): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  const opened = new Set<Open>();

  function accept(socket: WebSocket): void {
    const open: Open = { socket, binds: new Map(), alive: true, last: Promise.resolve() };
    const resId = newId();
    opened.add(open);
    socket.on('pong', () => {
      open.alive = true;
    });
    socket.on('close', () => opened.delete(open));
    socket.on('error', () => socket.terminate());
    socket.on('message', (data: Buffer) => {
      const body = parseFrame(data);
      const bind = (given: Bind) =>
        void open.binds.set(`${given.tenant}/${given.ledger}/${given.conn.reqId}`, given);
      parts.gateway(body, { resId, bind }).then((answer) => send(open, answer), parts.report);
    });
  }

  /** Sends what the bindings of the ledger have not seen; a socket whose right ended is closed. */
  function push(ledgerId: string | undefined): void {
    for (const open of opened)
      for (const bind of open.binds.values())
        if (ledgerId === undefined || bind.ledger === ledgerId)
          open.last = open.last.then(() => pushTo(open, bind)).catch(parts.report);
  }

  async function pushTo(open: Open, bind: Bind): Promise<void> {
    if (open.socket.readyState !== open.socket.OPEN) return;
    const access = await parts.rights.accessTo(bind.userId, bind.tenant, bind.ledger);
    if (access === 'none' || bind.expiresAtMs < parts.now())
      return open.socket.close(4401, 'the right ended');
    const { entries, keys, cursor } = await metasAfter(parts.db, bind.ledger, bind.cursor);
    if (entries.length === 0) return;
    bind.cursor = cursor;
    send(open, {
      type: 'eventGetMeta',
      tid: bind.tid,
      version: MESSAGE_VERSION,
      conn: bind.conn,
      tenant: { tenant: bind.tenant, ledger: bind.ledger },
      methodParam: { method: 'GET', store: 'meta' },
      urlParam: bind.urlParam,
      meta: { metas: entries, keys },
      cursor,
      signedUrl: '',
    });
  }

  const stopHints = parts.bus.subscribe(push);
  const heartbeat = setInterval(() => {
    for (const open of opened) {
      if (!open.alive) open.socket.terminate();
      open.alive = false;
      open.socket.ping();
    }
  }, HEARTBEAT_MS);
  // A hint that was lost is made up for here; rights that ended are noticed here too.
  const sweep = setInterval(() => push(undefined), SWEEP_MS);

  return {
    count: () => opened.size,
    upgrade: (request, socket, head) => {
      const { origin } = request.headers;
      if (origin !== undefined && !parts.isAllowedOrigin(origin)) {
        socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, accept);
    },
    close: () => {
      stopHints();
      clearInterval(heartbeat);
      clearInterval(sweep);
      for (const { socket } of opened) socket.close(1012, 'restart');
      setTimeout(() => {
        for (const { socket } of opened) socket.terminate();
      }, 1000).unref();
    },
  };
}

function parseFrame(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A consumer that does not read is cut: it resumes from its cursor. */
function send({ socket }: Open, message: unknown): void {
  if (socket.bufferedAmount > UNREAD_BYTES_MAX) socket.terminate();
  else socket.send(JSON.stringify(message));
}
