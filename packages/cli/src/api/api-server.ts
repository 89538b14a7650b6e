/** The HTTP server of `fixpoint api`. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FixpointError } from '@fixpoint/protocol';
import type { Attached, Database } from 'fixpoint';
import type { ChangeFeed } from 'fixpoint/feed';
import { limitOf } from '../served/checked-input.ts';
import { NOW, operationsOn } from '../served/operations.ts';
import { UploadWaits } from '../served/upload-waits.ts';
import { type Admission, createAdmission, isLoopback, urlOfBound } from './admission.ts';
import { type Answer, ApiError, answerOf, send } from './answers.ts';
import { decodedId, limitIn, queryOf } from './call-values.ts';
import { ChangeStreams } from './change-streams.ts';
import { handlersOf, withKnownPosition } from './handlers.ts';
import { openApiDocument } from './open-api.ts';
import { readBody, readBytes } from './read-body.ts';
import { type Match, type Route, routesAt } from './routes.ts';

export interface ApiParts {
  readonly db: Database;
  readonly feed: ChangeFeed;
  /** Absent without a ledger. */
  readonly attached?: Attached | undefined;
  /** The address to listen on. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Undefined if requests need no token, which only a loopback address allows. */
  readonly token: string | undefined;
  /** Further values of the `Host` header. */
  readonly hosts?: readonly string[];
  readonly origins?: readonly string[];
  readonly isReadOnly?: boolean;
  readonly version: string;
  readonly report: (cause: unknown) => void;
  /** See `StreamParts`. */
  readonly heartbeatMs?: number;
  readonly drainMs?: number;
}

export interface Api {
  /** The address that the server is bound to. */
  readonly url: string;
  /** Number of open streams of changes, and of requests that wait for an upload. */
  pending(): { readonly streams: number; readonly uploads: number };
  /** Ends all streams, and answers the requests that are running. */
  close(): Promise<void>;
}

const HEADER_BYTES_MAX = 16_384;
const HEADERS_MS = 10_000;
const REQUEST_MS = 60_000;
const KEEP_ALIVE_MS = 75_000;
const FINISH_MS = 5000;
const HEARTBEAT_MS = 15_000;
const DRAIN_MS = 30_000;

/** @throws FixpointError CONFIG_INVALID if the address is unavailable, or needs a token */
export async function startApi(parts: ApiParts): Promise<Api> {
  const { db, feed, attached, heartbeatMs = HEARTBEAT_MS, drainMs = DRAIN_MS, report } = parts;
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX });
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = REQUEST_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const bound = await listening(server, parts);
  const url = urlOfBound(bound);
  const { token, hosts = [], origins = [] } = parts;
  const admission = createAdmission(bound, { token, hosts, origins });
  const streams = new ChangeStreams({
    feed,
    subscribe: (changed) => db.subscribe(changed),
    report,
    heartbeatMs,
    drainMs,
  });
  const uploads = attached && new UploadWaits(attached);
  const openApi = () => openApiDocument(url, parts.version);
  const handlers = handlersOf({ db, operations: operationsOn(db, feed), attached, uploads, openApi });
  const running = new Set<AbortController>();
  const isReadOnly = parts.isReadOnly === true;
  let isStopping = false;
  // The connection of an ended stream would otherwise stay open, and delay the stop.
  server.on('request', (_, response) =>
    response.once('close', () => isStopping && setImmediate(() => server.closeIdleConnections())),
  );
  server.on('request', responder({ admission, handlers, streams, running, isReadOnly, report }));
  return {
    url,
    pending: () => ({ streams: streams.size, uploads: uploads?.size ?? 0 }),
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      streams.close();
      for (const stop of running) stop.abort(new FixpointError('CONNECTION_NOT_OPEN', 'the server stops'));
      isStopping = true;
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), FINISH_MS);
      await closed;
      clearTimeout(force);
    },
  };
}

interface ResponderParts {
  readonly admission: Admission;
  readonly handlers: ReturnType<typeof handlersOf>;
  readonly streams: ChangeStreams;
  /** One for each request that is being answered. */
  readonly running: Set<AbortController>;
  readonly isReadOnly: boolean;
  readonly report: (cause: unknown) => void;
}

type Headers = Readonly<Record<string, string>>;

/** Returns a listener that answers requests. */
function responder(parts: ResponderParts): (request: IncomingMessage, response: ServerResponse) => void {
  const { admission, report, isReadOnly } = parts;
  const run = async (request: IncomingMessage, response: ServerResponse, headers: Headers) => {
    const [path = '', search = ''] = (request.url ?? '').split(/\?(.*)/s);
    const match = admitted(request, path, admission, isReadOnly);
    const made =
      match === 'preflight'
        ? preflight(path)
        : await answered(parts, request, response, match, search, headers);
    if (made !== undefined) await send(response, { ...made, headers: { ...headers, ...made.headers } });
  };
  return (request, response) => {
    const headers = { ...COMMON_HEADERS, ...admission.headersFor(request.headers.origin) };
    run(request, response, headers).catch((cause) => {
      // A client may leave while it receives a file.
      if (response.headersSent && response.req.destroyed) return void response.destroy();
      const failure = answerOf(cause, report);
      return send(response, { ...failure, headers: { ...headers, ...failure.headers } });
    });
  };
}

/** Returns the answer to a request, or sends a stream of changes. */
async function answered(
  { admission, handlers, streams, running }: ResponderParts,
  request: IncomingMessage,
  response: ServerResponse,
  { id, route, documentId, fileName }: Match,
  search: string,
  headers: Headers,
): Promise<Answer | undefined> {
  const query = queryOf(route, search);
  if (id === 'streamChanges') {
    const last = request.headers['last-event-id'];
    const since = (typeof last === 'string' && last !== '' ? last : query.get('since')) ?? NOW;
    const start = { since, limit: limitOf(limitIn(query)), headers };
    if (request.method === 'HEAD')
      return { status: 200, headers: await withKnownPosition(() => streams.headersOf(start)) };
    await withKnownPosition(() => streams.serve(response, start));
    return undefined;
  }
  const call = new AbortController();
  const left = () => call.abort();
  running.add(call);
  response.once('close', left);
  try {
    return await handlers[id]({
      request,
      id: documentId === undefined ? '' : decodedId(documentId),
      name: fileName === undefined ? '' : decodedId(fileName),
      query,
      body: await bodyOf(request, route),
      hasToken: admission.hasToken(request.headers.authorization),
      signal: call.signal,
    });
  } finally {
    response.off('close', left);
    running.delete(call);
  }
}

function bodyOf(request: IncomingMessage, { body, bodyType }: Route): Promise<unknown> | undefined {
  if (body === undefined) return undefined;
  return bodyType === undefined ? readBody(request) : readBytes(request);
}

const COMMON_HEADERS: Headers = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Authorization, Origin',
};

/**
 * Returns the route of a request that may be answered.
 * @throws ApiError
 */
function admitted(
  request: IncomingMessage,
  path: string,
  admission: Admission,
  isReadOnly: boolean,
): Match | 'preflight' {
  const { method = '', headers } = request;
  if (!admission.isHost(headers.host))
    throw new ApiError(403, 'FORBIDDEN', 'the Host header names another server', { connection: 'close' });
  if (!admission.isOrigin(headers)) throw new ApiError(403, 'FORBIDDEN', 'this website may not use the API');
  const found = routesAt(path);
  if (found.length === 0) throw new ApiError(404, 'NOT_FOUND', 'there is no such path');
  if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) return 'preflight';
  const match = found.find(({ route }) => route.method === (method === 'HEAD' ? 'GET' : method));
  if (match === undefined)
    throw new ApiError(405, 'REQUEST_INVALID', 'the path does not have this method', {
      allow: methodsOf(found).join(', '),
    });
  if (match.route.access !== 'open' && !admission.hasToken(headers.authorization))
    throw new ApiError(401, 'NO_TOKEN', 'send the token of the API as Authorization: Bearer <token>', {
      'www-authenticate': 'Bearer',
    });
  if (match.route.access === 'write' && isReadOnly)
    throw new ApiError(403, 'FORBIDDEN', 'this API is read-only');
  return match;
}

const methodsOf = (found: readonly Match[]): string[] =>
  found.flatMap(({ route: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));

const preflight = (path: string): Answer => ({
  status: 204,
  headers: {
    'access-control-allow-methods': methodsOf(routesAt(path)).join(', '),
    'access-control-allow-headers':
      'authorization, content-type, if-match, if-none-match, if-range, last-event-id, range',
    'access-control-max-age': '600',
  },
});

async function listening(server: Server, { host, port, token }: ApiParts) {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(refusal(cause, host, port)));
    server.listen(port, host, resolve);
  });
  const { address, port: actual } = server.address() as AddressInfo;
  if (token !== undefined || isLoopback(address)) return { address, port: actual };
  server.close();
  throw new FixpointError(
    'CONFIG_INVALID',
    `${host} can be reached from other machines, so a token is needed`,
  );
}

function refusal(cause: NodeJS.ErrnoException, host: string, port: number): FixpointError {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} is in use: pass another one with --port`,
    EACCES: `port ${port} may not be used by this user: pass 1024 or more with --port`,
    EADDRNOTAVAIL: `${host} is not an address of this machine`,
    ENOTFOUND: `${host} is not an address of this machine`,
  };
  return new FixpointError('CONFIG_INVALID', why[cause.code ?? ''] ?? cause.message, { cause });
}
