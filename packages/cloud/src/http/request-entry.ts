/** Gives each request its id and its span, before any other code handles it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../observe/log.ts';
import { inRequest, requestIdFrom } from '../observe/running-request.ts';
import type { Cause, Tracing } from '../observe/tracing.ts';
import { cameThroughProxies } from './client-address.ts';
import { methodOf, routeOf } from './route-names.ts';

export interface EntryParts {
  /** Number of trusted proxies. They may choose ids, and continue traces. */
  readonly hops: number;
  readonly tracing: Tracing | undefined;
  readonly log: Pick<Log, 'debug' | 'isLevelEnabled'>;
  readonly now: () => number;
}

/** A part of the request that opened a socket, which its messages refer to. */
export interface SocketEntry {
  readonly requestId: string;
  readonly traceparent: string | undefined;
}

export interface RequestEntry {
  /** Runs the handler of a request, and sends the id back in `X-Request-Id`. */
  begin(request: IncomingMessage, response: ServerResponse, handle: () => void): void;
  /** Runs the handler that opens a websocket. */
  beginSocket(request: IncomingMessage, open: (entry: SocketEntry) => void): void;
}

const traceparentIn = ({ headers }: IncomingMessage): string | undefined => {
  const { traceparent } = headers;
  return typeof traceparent === 'string' ? traceparent : undefined;
};

export function createRequestEntry({ hops, tracing, log, now }: EntryParts): RequestEntry {
  const idOf = (request: IncomingMessage) =>
    requestIdFrom(request.headers['x-request-id'], cameThroughProxies(request, hops));
  /** Only links to a trace that a client chose, which thus can't add or exclude spans. */
  const causeOf = (request: IncomingMessage): Cause => {
    const caller = traceparentIn(request);
    return cameThroughProxies(request, hops) ? { parent: caller } : { link: caller };
  };

  function begin(request: IncomingMessage, response: ServerResponse, handle: () => void): void {
    const id = idOf(request);
    response.setHeader('x-request-id', id);
    const isLogged = log.isLevelEnabled('debug');
    if (tracing === undefined && !isLogged) return void inRequest({ id }, handle);
    const method = methodOf(request.method);
    const route = routeOf(request.url?.split('?')[0] ?? '');
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = tracing?.start(`${method} ${route}`, attributes, causeOf(request));
    const running = { id, span };
    const start = now();
    response.once('close', () => {
      const { statusCode: status, writableFinished } = response;
      span?.set({ 'http.response.status_code': status, ...(!writableFinished && { 'fixpoint.cut': true }) });
      span?.end(status >= 500 ? 'failed' : 'ok');
      if (isLogged)
        inRequest(running, () => log.debug({ method, route, status, ms: now() - start }, 'answered'));
    });
    inRequest(running, handle);
  }

  return {
    begin,
    beginSocket: (request, open) => {
      const requestId = idOf(request);
      inRequest({ id: requestId }, () => open({ requestId, traceparent: traceparentIn(request) }));
    },
  };
}
