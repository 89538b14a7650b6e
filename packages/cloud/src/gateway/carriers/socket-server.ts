/**
 * Websockets of the gateway. The gateway answers the messages of a socket in the order in which
 * they arrive.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as setPause } from 'node:timers/promises';
import { SOCKET_PATH } from '@fixpoint/protocol';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { FRAME_BYTES_MAX } from '../../limits/body-limits.ts';
import type { CutReason, GatewayWatch } from '../../observe/gateway-watch.ts';
import { inRequest } from '../../observe/running-request.ts';
import type { Tracing } from '../../observe/tracing.ts';
import type { LedgerRights } from '../../rights/rights.ts';
import type { FanOut } from '../following/fan-out.ts';
import { type Gateway, Unreadable } from '../gateway.ts';
import { parseJson } from '../parse-json.ts';
import type { Presence } from '../presence/rooms.ts';
import type { Binding, Carrier } from './carrier.ts';
import {
  carrierOf,
  createPopulation,
  newSocket,
  type Open,
  type Population,
  type SocketClient,
} from './socket-connection.ts';
import { startHeartbeat } from './socket-heartbeat.ts';

const UNREAD_BYTES_MAX = 1_048_576;
/** Time within which a socket must open a connection. */
const GREETING_MS = 10_000;
/** Maximum number of looks, half of `GREETING_MS` apart, while a request is unanswered. */
const LOOKS_MAX = 12;
/** Limits of unanswered messages: their number and total length. */
const WAITING_MAX = 256;
const WAITING_BYTES_MAX = 4_194_304;
const FINISH_MS = 5000;
/** Time within which a peer must answer a close frame after its protocol error. */
const CLOSING_MS = 2000;
const [GOODBYE_MS_EACH, GOODBYES_MS_MAX] = [2, 4000];
/** The websocket close codes for a policy violation and for a restart. */
const [POLICY, RESTART] = [1008, 1012];

/** Close reasons for frames that break the websocket protocol. The library itself sends none. */
const REASONS: Partial<Record<number, string>> = {
  1002: 'the frame is not valid',
  1007: 'the text of the frame is not UTF-8',
  1009: `a message may have at most ${FRAME_BYTES_MAX} bytes`,
};

class Spoken extends WebSocket {
  override close(code?: number, reason?: string | Buffer): void {
    super.close(code, reason ?? REASONS[code ?? 0]);
  }
}

export interface SocketParts {
  readonly gateway: Gateway;
  readonly fanOut: FanOut;
  readonly rooms: Pick<Presence, 'gone'>;
  readonly rights: LedgerRights;
  readonly watch: GatewayWatch;
  readonly report: (error: unknown) => void;
  /** Maximum sockets of one user. */
  readonly socketsPerUser: number;
  readonly tracing?: Tracing | undefined;
  readonly heartbeatMs?: number;
  readonly greetingMs?: number;
  /** Waits before the server notifies the next socket of a restart. */
  readonly pause?: (ms: number) => Promise<unknown>;
}

export interface Sockets {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, client: SocketClient): void;
  count(): number;
  /** Returns the number of sockets of the user who has most. */
  highestOfUser(): number;
  /** Returns the number of messages that the gateway has not answered yet. */
  waiting(): number;
  /** Notifies all sockets of a restart once their requests are done, and waits until they close. */
  close(): Promise<void>;
}

/** State that all sockets of a server share. */
interface SocketsState {
  readonly parts: SocketParts;
  readonly opened: Set<Open>;
  readonly population: Population;
}

export function createSockets(parts: SocketParts): Sockets {
  const { rights, report, heartbeatMs, pause = setPause } = parts;
  const server = new WebSocketServer({
    noServer: true,
    WebSocket: Spoken,
    maxPayload: FRAME_BYTES_MAX,
    perMessageDeflate: false,
  });
  const requestIds = new WeakMap<IncomingMessage, string>();
  server.on('headers', (headers, request) => headers.push(`X-Request-Id: ${requestIds.get(request)}`));
  const opened = new Set<Open>();
  const state: SocketsState = { parts, opened, population: createPopulation(parts.socketsPerUser) };
  const stopHeartbeat = startHeartbeat({
    opened,
    cut: (open, reason) => cut(state, open, reason),
    rights,
    report,
    ...(heartbeatMs && { everyMs: heartbeatMs }),
  });
  return {
    count: () => opened.size,
    highestOfUser: () => state.population.highest(),
    waiting: () => [...opened].reduce((sum, { waiting }) => sum + waiting, 0),
    upgrade: (request, socket, head, client) => {
      requestIds.set(request, client.requestId);
      server.handleUpgrade(request, socket, head, (accepted) => accept(state, accepted, client));
    },
    close: async () => {
      stopHeartbeat();
      await sayGoodbye([...opened], pause);
    },
  };
}

/** Cuts a socket. Doesn't send a reason to a peer that doesn't read or no longer responds. */
function cut({ parts }: SocketsState, { socket }: Open, reason: CutReason): void {
  if (socket.readyState !== socket.OPEN) return;
  parts.watch.cut(reason);
  if (reason === 'not reading' || reason === 'silent') socket.terminate();
  else socket.close(POLICY, `the server closed the socket: ${reason}`);
}

/**
 * Calls `missed` if the socket opens no connection in time. Looks at least twice: after a pause of
 * the process, timers run before the process reads messages that arrived in time. An unanswered
 * request may still open a connection, so the server waits for its answer, for up to a minute.
 */
function awaitGreeting(open: Open, ms: number, missed: () => void): () => void {
  let looks = 0;
  const look = () => {
    looks += 1;
    if (open.pairs.size > 0) return;
    if (looks >= 2 && (open.waiting === 0 || looks >= LOOKS_MAX)) return missed();
    timer = setTimeout(look, ms / 2);
  };
  let timer = setTimeout(look, ms / 2);
  return () => clearTimeout(timer);
}

function accept(state: SocketsState, socket: WebSocket, client: SocketClient): void {
  const { opened, population } = state;
  const { greetingMs = GREETING_MS } = state.parts;
  const open = newSocket(socket);
  const carrier = carrierOf(open, client, population);
  const peer = { client, open, carrier };
  opened.add(open);
  const stopGreeting = awaitGreeting(open, greetingMs, () => cut(state, open, 'never opened'));
  socket.on('pong', () => {
    open.silent = 0;
  });
  socket.on('close', () => {
    stopGreeting();
    opened.delete(open);
    for (const userId of open.openers.keys()) population.remove(userId);
    for (const stop of open.stops.values()) stop();
    open.stops.clear();
    state.parts.rooms.gone(open.seat);
  });
  // A frame broke the protocol. The library sends the reason; a peer that doesn't answer it is cut.
  socket.on('error', () => void setTimeout(() => socket.terminate(), CLOSING_MS).unref());
  socket.on('message', (data) => queueAnswer(state, peer, data));
}

/** A socket, and the request that opened it. */
interface Peer {
  readonly client: SocketClient;
  readonly open: Open;
  readonly carrier: Carrier;
}

/** Answers a message after the previous ones. Cuts a peer that has too many unanswered messages. */
function queueAnswer(state: SocketsState, peer: Peer, data: RawData): void {
  const { open, client } = peer;
  const bytes = bytesIn(data);
  open.messages += 1;
  const id = `${client.requestId}.${open.messages}`;
  if (open.waiting >= WAITING_MAX || open.waitingBytes + bytes > WAITING_BYTES_MAX) {
    cut(state, open, 'flood');
    return;
  }
  open.waiting += 1;
  open.waitingBytes += bytes;
  open.last = open.last
    .then(() => answerAsRequest(state, peer, id, data))
    .catch(state.parts.report)
    .finally(() => {
      open.waiting -= 1;
      open.waitingBytes -= bytes;
    });
}

/** Answers a message as a request with its own id, and with its own trace. */
function answerAsRequest(state: SocketsState, peer: Peer, id: string, data: RawData): Promise<void> {
  const { tracing } = state.parts;
  const attributes = { 'network.protocol.name': 'websocket', 'http.route': SOCKET_PATH };
  const span = tracing?.start(`message ${SOCKET_PATH}`, attributes, { link: peer.client.traceparent });
  return inRequest({ id, span }, async () => {
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      await answer(state, peer, id, data);
      outcome = 'ok';
    } finally {
      span?.end(outcome);
    }
  });
}

async function answer(state: SocketsState, peer: Peer, id: string, data: RawData): Promise<void> {
  const { open, carrier } = peer;
  const { answer: text, follow: binding } = await state.parts.gateway(parseFrame(data), carrier);
  // Over HTTP, the id is in a header. Here, users of an application find it in the error.
  sendText(state, open, JSON.stringify(text.type === 'error' ? { ...text, requestId: id } : text));
  if (binding !== undefined) follow(state, open, binding);
}

/** Sends a text. Cuts a client that doesn't read; the client later resumes from its cursor. */
function sendText(state: SocketsState, open: Open, text: string): void {
  const { socket } = open;
  if (socket.bufferedAmount > UNREAD_BYTES_MAX) cut(state, open, 'not reading');
  else if (socket.readyState === socket.OPEN) socket.send(text);
}

function follow(state: SocketsState, open: Open, binding: Binding): void {
  if (!state.opened.has(open)) return;
  const name = `${binding.ledger} ${binding.writer}`;
  open.stops.get(name)?.();
  const stop = state.parts.fanOut.follow(binding, {
    send: (text) => sendText(state, open, text),
    cut: () => cut(state, open, 'access lost'),
  });
  open.stops.set(name, stop);
}

/**
 * Returns the delay, in milliseconds, after which to notify the n-th of `count` sockets of a
 * restart. The delays differ, so that clients don't all reconnect at once.
 */
export const goodbyeMs = (n: number, count: number): number =>
  Math.floor(n * Math.min(GOODBYE_MS_EACH, GOODBYES_MS_MAX / Math.max(1, count)));

/**
 * Notifies each socket of the restart once its requests are done, and waits until all are closed.
 */
async function sayGoodbye(all: readonly Open[], pause: (ms: number) => Promise<unknown>): Promise<void> {
  const waits = all.map(async ({ socket, last }, index) => {
    const gone = new Promise((done) => socket.once('close', done));
    await pause(goodbyeMs(index, all.length));
    await last;
    socket.close(RESTART, 'the server restarts');
    await within(FINISH_MS, gone);
    socket.terminate();
  });
  await within(FINISH_MS * 2 + GOODBYES_MS_MAX, Promise.all(waits));
}

const bytesIn = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, part) => sum + part.byteLength, 0) : data.byteLength;

/**
 * Parses a frame: JSON in UTF-8, in a text or binary frame. Existing clients send binary frames.
 */
function parseFrame(data: RawData): unknown {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as ArrayBuffer);
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (cause) {
    return new Unreadable(cause);
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
