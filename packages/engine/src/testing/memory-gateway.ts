/**
 * A gateway that keeps its data in a few maps. It implements the storage protocol without
 * extensions, like servers of other vendors.
 */
import type { NetworkResponse } from '../ports/network.ts';
import type { ReceivedRequest, ServerSocket, SimulatedServer } from './simulated-network.ts';

interface Conn {
  readonly reqId: string;
  readonly resId: string;
}
interface Entry {
  readonly cid: string;
  readonly parents: readonly string[];
  readonly data: string;
}
type Message = Record<string, unknown> & { readonly type: string; readonly tid: string };

interface Ledger {
  readonly entries: Map<string, { readonly entry: Entry; readonly writer: string }>;
  readonly keys: Set<string>;
  /** CIDs of the entries that were sent to each connection. */
  readonly sent: Map<string, Set<string>>;
}

interface OpenSocket {
  readonly socket: ServerSocket;
  readonly binds: Map<string, { readonly conn: Conn; readonly ledger: string; readonly message: Message }>;
}

export interface TestGateway extends SimulatedServer {
  readonly objects: Map<string, Uint8Array>;
  /** Types of all requests, in order. */
  readonly log: string[];
  readonly ledgers: Map<string, Ledger>;
  /** Tokens that the gateway accepts. If undefined, it accepts all tokens. */
  tokens: Set<string> | undefined;
  capabilities: readonly string[];
  /** Endpoints that the gateway announces. */
  endpoints: { readonly http: readonly string[]; readonly socket: readonly string[] };
  /** Addresses of all requests and sockets, without their queries. */
  readonly reached: string[];
  /** Tokens of users who may only read. */
  readonly readers: Set<string>;
  /**
   * Kind that the gateway reports for its ledgers. If undefined, it reports no kind, as gateways of
   * other vendors do.
   */
  kind: string | undefined;
  /** The ledger to which the gateway claims that its ledgers moved. */
  movedTo: { readonly ledger: string; readonly kind?: string } | undefined;
  /**
   * Maximum number of entries in an answer or event. Further events contain the remaining entries.
   */
  entriesMax: number;
  /**
   * Returns the status of a transfer that must fail, or undefined for a transfer that must succeed.
   * If this isn't set, all transfers succeed.
   */
  objectFailure: ((request: ReceivedRequest) => number | undefined) | undefined;
  /** Closes all sockets, as a restart does. Stored data remains. */
  restart(): void;
  socketCount(): number;
}

export const OBJECTS = 'http://objects.test/';
const utf8 = (text: string) => new TextEncoder().encode(text);
const pairOf = ({ reqId, resId }: Conn) => `${reqId}:${resId}`;

class Refusal extends Error {
  readonly code: string | undefined;
  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** The gateway, and what only its functions use. */
interface State {
  readonly gateway: TestGateway;
  readonly sockets: Set<OpenSocket>;
  ids: number;
}

export function testGateway(): TestGateway {
  const sockets = new Set<OpenSocket>();
  const gateway: TestGateway = {
    objects: new Map(),
    log: [],
    ledgers: new Map(),
    tokens: undefined,
    capabilities: ['reqRes', 'stream'],
    endpoints: { http: ['/fp'], socket: ['/ws'] },
    reached: [],
    readers: new Set(),
    kind: undefined,
    movedTo: undefined,
    entriesMax: Number.POSITIVE_INFINITY,
    objectFailure: undefined,
    restart: () => {
      for (const { socket } of [...sockets]) socket.close();
      sockets.clear();
    },
    socketCount: () => sockets.size,
    request: async (request) => {
      if (request.url.startsWith(OBJECTS)) return objectOf(gateway, request);
      gateway.reached.push(request.url);
      const answer = handle(state, JSON.parse(new TextDecoder().decode(request.body)) as Message, undefined);
      return { status: answer.type === 'error' ? 500 : 200, body: utf8(JSON.stringify(answer)) };
    },
    accept: (url, socket) => {
      gateway.reached.push(url.split('?')[0] ?? '');
      const open: OpenSocket = { socket, binds: new Map() };
      sockets.add(open);
      return {
        message: (text) => {
          const message = JSON.parse(text) as Message;
          const answered = handle(state, message, open);
          socket.send(JSON.stringify(answered));
          if (answered.type === 'eventGetMeta')
            sendOthers(gateway, socket, answered, ledgerOf(gateway, message), message['conn'] as Conn);
        },
        closed: () => void sockets.delete(open),
      };
    },
  };
  const state: State = { gateway, sockets, ids: 0 };
  return gateway;
}

function objectOf(gateway: TestGateway, request: ReceivedRequest): NetworkResponse {
  const status = gateway.objectFailure?.(request);
  if (status !== undefined) return { status, body: utf8('no') };
  const key = request.url;
  if (request.method === 'PUT') {
    gateway.objects.set(key, request.body);
    return { status: 200, body: utf8('') };
  }
  const body = gateway.objects.get(key);
  return body === undefined ? { status: 404, body: utf8('none') } : { status: 200, body };
}

function ledgerOf(gateway: TestGateway, message: Message): Ledger {
  const { tenant, ledger } = message['tenant'] as { tenant: string; ledger: string };
  const id = `${tenant}/${ledger}`;
  const known = gateway.ledgers.get(id) ?? { entries: new Map(), keys: new Set(), sent: new Map() };
  gateway.ledgers.set(id, known);
  return known;
}

function unsentTo(gateway: TestGateway, ledger: Ledger, conn: Conn) {
  const sent = ledger.sent.get(pairOf(conn)) ?? new Set();
  ledger.sent.set(pairOf(conn), sent);
  const unsent = [...ledger.entries.values()].map(({ entry }) => entry).filter(({ cid }) => !sent.has(cid));
  const metas = unsent.slice(0, gateway.entriesMax);
  for (const { cid } of metas) sent.add(cid);
  const more = metas.length < unsent.length;
  return { meta: { metas, keys: [...ledger.keys].sort() }, more, ...kindOf(gateway) };
}

/** Sends the entries that didn't fit in the previous event. */
function sendOthers(
  gateway: TestGateway,
  socket: ServerSocket,
  event: object,
  ledger: Ledger,
  conn: Conn,
): void {
  const next = () => unsentTo(gateway, ledger, conn);
  for (let rest = next(); rest.meta.metas.length > 0; rest = next())
    socket.send(JSON.stringify({ ...event, ...rest }));
}

function putMeta({ gateway, sockets }: State, message: Message, conn: Conn): Message {
  const ledger = ledgerOf(gateway, message);
  const { metas, keys } = message['meta'] as { metas: Entry[]; keys: string[] };
  const writer = pairOf(conn);
  for (const key of keys) ledger.keys.add(key);
  for (const [cid, stored] of metas.length === 0 ? [] : ledger.entries)
    if (stored.writer === writer && !metas.some((entry) => entry.cid === cid)) ledger.entries.delete(cid);
  for (const entry of metas)
    if (!ledger.entries.has(entry.cid)) ledger.entries.set(entry.cid, { entry, writer });
  const id = JSON.stringify(message['tenant']);
  for (const { socket, binds } of sockets)
    for (const bind of binds.values()) {
      if (bind.ledger !== id || pairOf(bind.conn) === writer) continue;
      const event = { type: 'eventGetMeta', tid: message.tid, conn: bind.conn, tenant: message['tenant'] };
      socket.send(JSON.stringify({ ...event, ...unsentTo(gateway, ledger, bind.conn), signedUrl: '' }));
      sendOthers(gateway, socket, event, ledger, bind.conn);
    }
  return { ...message, type: 'resPutMeta', meta: { metas, keys }, signedUrl: '' };
}

function answer(state: State, message: Message, open: OpenSocket | undefined): Message {
  const { gateway } = state;
  const { type, tid } = message;
  const conn = message['conn'] as Conn;
  if (type === 'reqGestalt') return { type: 'resGestalt', tid, gestalt: gestalt(gateway) };
  if (type === 'reqOpen') {
    state.ids += 1;
    return { type: 'resOpen', tid, conn: { reqId: conn.reqId, resId: conn.resId ?? `server-${state.ids}` } };
  }
  if (type === 'reqPutMeta') return putMeta(state, message, conn);
  if (type === 'bindGetMeta') {
    const ledger = ledgerOf(gateway, message);
    // The first bind of a socket lists all entries again, because the client may have missed
    // events.
    if (!open?.binds.has(pairOf(conn))) ledger.sent.delete(pairOf(conn));
    open?.binds.set(pairOf(conn), { conn, ledger: JSON.stringify(message['tenant']), message });
    const listed =
      open === undefined ? { meta: allOf(ledger), ...kindOf(gateway) } : unsentTo(gateway, ledger, conn);
    return { ...message, type: 'eventGetMeta', conn, ...listed, signedUrl: '' };
  }
  const { key, store } = message['urlParam'] as { key: string; store: string };
  const { tenant, ledger } = message['tenant'] as { tenant: string; ledger: string };
  const signedUrl = `${OBJECTS}${tenant}/${ledger}/${store}/${key}`;
  return { ...message, type: type.replace('req', 'res'), signedUrl };
}

function handle(state: State, message: Message, open: OpenSocket | undefined): Message {
  const { gateway } = state;
  gateway.log.push(message.type);
  try {
    const token = (message['auth'] as { params: { jwk: string } }).params.jwk;
    if (gateway.tokens !== undefined && !gateway.tokens.has(token))
      throw new Refusal('"exp" claim timestamp check failed');
    if (gateway.readers.has(token) && message.type.startsWith('reqPut'))
      throw new Refusal('Not found', 'NOT_FOUND');
    return answer(state, message, open);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const { code } = cause;
    return {
      type: 'error',
      tid: message.tid,
      message: cause.message,
      ...(code === undefined ? {} : { code }),
      auth: { type: 'error' },
    };
  }
}

const kindOf = ({ kind, movedTo }: Pick<TestGateway, 'kind' | 'movedTo'>) => ({
  ...(kind !== undefined && { kind }),
  ...(movedTo !== undefined && { movedTo }),
});

const allOf = ({ entries, keys }: Ledger) => ({
  metas: [...entries.values()].map(({ entry }) => entry),
  keys: [...keys].sort(),
});

const gestalt = ({ capabilities, endpoints }: Pick<TestGateway, 'capabilities' | 'endpoints'>) => ({
  id: 'FP-Storage-Backend',
  storeTypes: ['meta', 'file', 'car', 'wal'],
  protocolCapabilities: capabilities,
  httpEndpoints: endpoints.http,
  wsEndpoints: endpoints.socket,
  encodings: ['JSON'],
  auth: [],
  requiresAuth: false,
  reqTypes: [],
  resTypes: [],
  eventTypes: [],
});
