/** The routes of the server, with their size limits and headers. */
import { timingSafeEqual } from 'node:crypto';
import { ADMIN_PATH, STORAGE_PATH } from '@fixpoint/protocol';
import { CAPABILITIES } from '@fixpoint/protocol/storage';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Admin } from '../admin/dispatch.ts';
import type { Carrier } from '../gateway/carrier.ts';
import type { Gateway } from '../gateway/dispatch.ts';
import type { Answer } from '../gateway/handler.ts';
import type { HttpClient } from '../gateway/http-connections.ts';
import type { Identity } from '../identity/identity.ts';
import type { ServedObjects } from '../objects/serve-objects.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Origins } from './origins.ts';
import { readJson } from './read-json.ts';
import type { SecurityHeaders } from './security-headers.ts';
import type { StaticConsole } from './static-console.ts';

const ADMIN_BYTES_MAX = 65_536;
const GATEWAY_BYTES_MAX = 1_048_576;

export interface AppParts {
  readonly admin: Admin;
  readonly gateway: Gateway;
  /** The connection of one HTTP exchange with the gateway. */
  readonly carrierFor: (client: HttpClient) => Carrier;
  /** From where a request comes. */
  readonly addressOf: (request: HttpBindings['incoming']) => string;
  /** The host that a request went to. */
  readonly hostOf: (request: HttpBindings['incoming']) => string | undefined;
  readonly identity: Identity;
  readonly objects: ServedObjects;
  readonly tokens: CloudTokens;
  readonly console: StaticConsole;
  readonly origins: Origins;
  readonly headers: SecurityHeaders;
  readonly metrics: Metrics;
  /** Opens the metrics to others than this machine. */
  readonly metricsToken: string | undefined;
  /** The description of the HTTP interface. */
  readonly openApi: Readonly<Record<string, unknown>>;
  /** What pages may know of the configuration. */
  readonly publicConfig: Readonly<Record<string, unknown>>;
  /** Whether the stores answer. */
  readonly isReady: () => Promise<boolean>;
  readonly report: (error: unknown) => void;
  readonly now: () => number;
}

type Env = { Bindings: HttpBindings };
type Call = Context<Env>;

export function createApp(parts: AppParts): Hono<Env> {
  const app = new Hono<Env>();
  const { headers } = parts;
  app.use(async (c, next) => {
    const start = parts.now();
    await next();
    for (const [name, value] of Object.entries(headers.ofAnswer))
      if (!c.res.headers.has(name)) c.res.headers.set(name, value);
    parts.metrics.answered(routeOf(c.req.path), c.req.method, c.res.status, (parts.now() - start) / 1000);
  });
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', async (c) => ((await parts.isReady()) ? c.text('ready') : c.text('not ready', 503)));
  app.get('/metrics', async (c) =>
    maySeeMetrics(c, parts.metricsToken)
      ? c.body(await parts.metrics.text(), 200, { 'content-type': parts.metrics.contentType })
      : c.text('Not found', 404),
  );
  app.get('/.well-known/jwks.json', (c) =>
    c.json(parts.tokens.jwks(), 200, { 'cache-control': 'public, max-age=300' }),
  );
  app.get('/.well-known/fixpoint.json', (c) => c.json(parts.publicConfig));
  app.get('/openapi.json', (c) => c.json(parts.openApi, 200, { 'cache-control': 'public, max-age=300' }));
  routeAdmin(app, parts);
  routeGateway(app, parts);
  app.all('/auth/*', (c) => parts.identity.handle(c.req.raw, parts.addressOf(c.env.incoming)));
  app.get('*', async (c) => {
    const origin = parts.origins.of(parts.hostOf(c.env.incoming));
    return (await parts.console(c.req.raw, c.req.path, origin)) ?? c.notFound();
  });
  app.notFound((c) => c.text('Not found', 404));
  app.onError((cause, c) => {
    parts.report(cause);
    return c.json({ type: 'error', message: 'internal error', error: 'Error: internal error' }, 500);
  });
  return app;
}

/** Pages of other origins may not call it, unless they were configured. */
function routeAdmin(app: Hono<Env>, { admin, origins, addressOf, hostOf }: AppParts): void {
  app.use(ADMIN_PATH, async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined) return next();
    if (!origins.isTrusted(origin, hostOf(c.env.incoming))) return c.text('forbidden', 403);
    await next();
    c.res.headers.set('access-control-allow-origin', origin);
    c.res.headers.append('vary', 'Origin');
    return undefined;
  });
  app.options(
    ADMIN_PATH,
    () =>
      new Response(null, {
        status: 204,
        headers: {
          'access-control-allow-methods': 'PUT,POST',
          'access-control-allow-headers': 'Content-Type, Accept',
        },
      }),
  );
  app.on(['PUT', 'POST'], ADMIN_PATH, async (c) => {
    const body = await readJson(c.req.raw, ADMIN_BYTES_MAX);
    if ('refused' in body) return body.refused;
    const answer = await admin(body.value, addressOf(c.env.incoming));
    return Response.json(answer.body, { status: answer.status });
  });
}

/** Apps of other origins use these. */
function routeGateway(app: Hono<Env>, parts: AppParts): void {
  const { gateway, objects, origins, carrierFor, addressOf, hostOf } = parts;
  const cors = (c: Call) => origins.cors(c.req.header('origin'), hostOf(c.env.incoming));
  const withCors = (c: Call, response: Response) => {
    for (const [name, value] of Object.entries(cors(c))) response.headers.set(name, value);
    return response;
  };
  const preflight = (c: Call) => new Response(null, { status: 200, headers: cors(c) });
  app.options(STORAGE_PATH, preflight);
  app.put(STORAGE_PATH, async (c) => {
    const body = await readJson(c.req.raw, GATEWAY_BYTES_MAX);
    if ('refused' in body) return withCors(c, body.refused);
    const origin = origins.baseOf(hostOf(c.env.incoming));
    const capabilities = CAPABILITIES.filter((each) =>
      c.req.query('capabilities')?.split(',').includes(each),
    );
    const carrier = carrierFor({
      origin,
      address: addressOf(c.env.incoming),
      ...(capabilities.length > 0 && { capabilities }),
    });
    const { answer } = await gateway(body.value, carrier);
    const headers = { ...cors(c), ...(answer['code'] === 'RATE_LIMITED' && { 'retry-after': '1' }) };
    return Response.json(answer, { status: statusOf(answer), headers });
  });
  app.options('/obj/*', preflight);
  app.all('/obj/*', async (c) => {
    const { url = '' } = c.env.incoming;
    const host = new URL(origins.of(hostOf(c.env.incoming))).host;
    return withCors(c, await objects.handle(c.req.raw, url, host));
  });
}

/** Existing clients read the message of any status that is no success. */
const statusOf = ({ type, code }: Answer): number =>
  type !== 'error' ? 200 : code === 'RATE_LIMITED' ? 429 : 500;

/** This machine, asking directly, or who has the token. */
function maySeeMetrics(c: Call, token: string | undefined): boolean {
  const given = Buffer.from(c.req.header('authorization') ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  if (token !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted)) return true;
  const isProxied = ['x-forwarded-for', 'forwarded', 'via'].some((name) => c.req.header(name) !== undefined);
  return !isProxied && /^(::ffff:)?127\.|^::1$/.test(c.env.incoming.socket.remoteAddress ?? '');
}

const ROUTES = ['/api', '/obj/', '/auth/', '/assets/', '/healthz', '/readyz', '/metrics', '/.well-known/'];
const routeOf = (path: string): string =>
  path === STORAGE_PATH ? path : (ROUTES.find((route) => path.startsWith(route)) ?? 'page');
