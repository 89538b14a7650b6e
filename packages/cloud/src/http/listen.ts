import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { FixpointError } from '@fixpoint/protocol';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Door } from './gateway-door.ts';
import type { RequestEntry, SocketEntry } from './request-entry.ts';

const HEADER_BYTES_MAX = 16_384;
const HEADERS_MS = 10_000;
/**
 * Longer than proxies keep an idle connection, which is often a minute. If the server closed the
 * connection first, a request that the proxy sends at that moment would get no answer.
 */
const KEEP_ALIVE_MS = 75_000;
/** Interval of the check for slow requests. */
const CHECK_MS = 2000;
/** Long enough for the upload of a large object over a slow link. */
const REQUEST_MS = 300_000;
const FINISH_MS = 10_000;

type Fetch = (request: Request, env: HttpBindings) => Response | Promise<Response>;
type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer, entry: SocketEntry) => void;

/** The handlers of a server. */
export interface Handlers {
  readonly entry: RequestEntry;
  /** Handles a request, or returns false. */
  readonly door: Door;
  /** Handles the requests that the door doesn't. */
  readonly fetch: Fetch;
  readonly upgrade: Upgrade;
  /** Receives errors of failed upgrades, which close only their own socket. */
  readonly report: (error: unknown) => void;
}

export interface Server {
  /** The address at which the server listens, as you would type it in a browser on this machine. */
  readonly url: string;
  /** Starts to handle requests. Before this call, clients get status 503 with `Retry-After`. */
  serve(handlers: Handlers): void;
  /** Accepts no more connections. Waits for running requests, for at most ten seconds. */
  close(): Promise<void>;
}

/**
 * @param basePath the path under which a proxy forwards requests, whether or not the proxy strips
 * that path
 * @throws FixpointError CONFIG_INVALID when the address is unavailable
 */
export async function listen(host: string, port: number, basePath = ''): Promise<Server> {
  let handlers: Handlers | undefined;
  let listener: ReturnType<typeof getRequestListener> | undefined;
  const options = { maxHeaderSize: HEADER_BYTES_MAX, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(options, (request, response) => {
    request.url = withoutBase(request.url, basePath);
    if (handlers === undefined)
      return void response.writeHead(503, { 'retry-after': '1', connection: 'close' }).end('starting');
    const { entry, door } = handlers;
    entry.begin(request, response, () => {
      if (!door(request, response)) void listener?.(request, response);
    });
  });
  server.headersTimeout = HEADERS_MS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.requestTimeout = REQUEST_MS;
  server.on('upgrade', (request, socket, head) => {
    request.url = withoutBase(request.url, basePath);
    socket.on('error', () => socket.destroy());
    if (handlers === undefined) return void socket.destroy();
    const { entry, upgrade, report } = handlers;
    entry.beginSocket(request, (opened) => {
      try {
        upgrade(request, socket, head, opened);
      } catch (cause) {
        socket.destroy();
        report(cause);
      }
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(refusal(cause, host, port)));
    server.listen(port, host, resolve);
  });
  const { port: actual } = server.address() as AddressInfo;
  return {
    url: urlOf(host, actual),
    serve: (given) => {
      handlers = given;
      listener = getRequestListener(given.fetch as Parameters<typeof getRequestListener>[0]);
    },
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeIdleConnections();
      const force = setTimeout(() => server.closeAllConnections(), FINISH_MS);
      await closed;
      clearTimeout(force);
    },
  };
}

const withoutBase = (url: string | undefined, basePath: string): string => {
  if (url === undefined || basePath === '' || !url.startsWith(basePath)) return url ?? '/';
  const rest = url.slice(basePath.length);
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest.startsWith('/') ? rest : url;
};

/**
 * Returns the URL. Uses `localhost` for a local address, because it is easy to type and browsers
 * trust it.
 */
function urlOf(host: string, port: number): string {
  const isOwn = ['127.0.0.1', 'localhost', '0.0.0.0', '::', '::1'].includes(host);
  const name = isOwn ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function refusal(cause: NodeJS.ErrnoException, host: string, port: number): FixpointError {
  const why: Record<string, string> = {
    EADDRINUSE: `port ${port} is in use: set PORT to another one`,
    EACCES: `port ${port} may not be used by this user: set PORT to 1024 or more`,
    EADDRNOTAVAIL: `HOST=${host} is not an address of this machine`,
    ENOTFOUND: `HOST=${host} is not an address of this machine`,
  };
  return new FixpointError('CONFIG_INVALID', why[cause.code ?? ''] ?? cause.message, { cause });
}
