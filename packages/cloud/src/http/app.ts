/** The routes of the server, with their size limits and headers. */
import { timingSafeEqual } from 'node:crypto';
import { ADMIN_PATH, APPLICATION_PATH, EXTEND_PATH, isFixpointError, STORAGE_PATH } from '@fixpoint/protocol';
import { isApplicationSessionRequest } from '@fixpoint/protocol/admin';
import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Admin } from '../admin/dispatch.ts';
import type { Identity } from '../identity/identity.ts';
import { ADMIN_BODY_BYTES_MAX } from '../limits/body-limits.ts';
import type { MailRefusals } from '../mail/refusal.ts';
import type { ServedObjects } from '../objects/serve-objects.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Origins } from './origins.ts';
import { readWebJson } from './read-json.ts';
import { routeRefusals } from './refusal-page.ts';
import { methodOf, routeOf } from './route-names.ts';
import type { SecurityHeaders } from './security-headers.ts';
import type { StaticConsole } from './static-console.ts';

export interface AppParts {
  readonly admin: Admin;
  /** Returns whether a registered application has this origin. */
  readonly isApplicationOrigin: (origin: string) => Promise<boolean>;
  /** The address that a request comes from. */
  readonly addressOf: (request: HttpBindings['incoming']) => string;
  /** The host that a request went to. */
  readonly hostOf: (request: HttpBindings['incoming']) => string | undefined;
  readonly identity: Identity;
  readonly objects: ServedObjects;
  readonly refusals: MailRefusals;
  readonly tokens: CloudTokens;
  readonly console: StaticConsole;
  readonly origins: Origins;
  readonly headers: SecurityHeaders;
  readonly metrics: Metrics;
  /** The token that lets other machines read the metrics. */
  readonly metricsToken: string | undefined;
  /** The description of the HTTP interface. */
  readonly openApi: Readonly<Record<string, unknown>>;
  /** The part of the configuration that pages may see. */
  readonly publicConfig: Readonly<Record<string, unknown>>;
  /** The address that `/community` leads to; undefined for a page of the documentation. */
  readonly communityUrl: string | undefined;
  /** Returns false while the server is stopping or a store doesn't respond. */
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
    const seconds = (parts.now() - start) / 1000;
    parts.metrics.answered(routeOf(c.req.path), methodOf(c.req.method), c.res.status, seconds);
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
  routeApplications(app, parts);
  routeExtension(app, parts);
  routeGateway(app, parts);
  routeRefusals(app, parts.refusals);
  app.all('/auth/*', (c) => parts.identity.handle(c.req.raw, parts.addressOf(c.env.incoming)));
  app.get('/community', (c) => {
    const base = parts.origins.baseOf(parts.hostOf(c.env.incoming));
    return c.redirect(parts.communityUrl ?? `${base}/docs/project/contributing.html`);
  });
  app.get('*', async (c) => {
    const base = parts.origins.baseOf(parts.hostOf(c.env.incoming));
    return (await parts.console(c.req.raw, c.req.path, base)) ?? c.notFound();
  });
  app.notFound((c) => c.text('Not found', 404));
  app.onError((cause, c) => {
    parts.report(cause);
    return c.json({ type: 'error', message: 'internal error', error: 'Error: internal error' }, 500);
  });
  return app;
}

/**
 * Adds the admin API. Pages of other origins may call it only if the operator allows their origin.
 */
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
  app.on(['PUT', 'POST'], ADMIN_PATH, (c) => answerAdmin(c, admin, addressOf));
  app.all(ADMIN_PATH, () => {
    const message = 'Only PUT and POST are supported';
    return Response.json(errorBody('REQUEST_INVALID', message), {
      status: 405,
      headers: { allow: 'PUT, POST, OPTIONS' },
    });
  });
}

const errorBody = (code: unknown, message: unknown) => ({
  type: 'error',
  code,
  message,
  error: `Error: ${message}`,
});

interface GivenRequest {
  readonly type?: unknown;
  readonly token?: unknown;
}

const REFUSALS = { FORBIDDEN: 403, NOT_SIGNED_IN: 401 } as const;

/** @param refusalOf returns why this route refuses a request; undefined if it accepts it */
async function answerAdmin(
  c: Call,
  admin: Admin,
  addressOf: AppParts['addressOf'],
  refusalOf?: (request: GivenRequest) => Promise<keyof typeof REFUSALS | undefined>,
): Promise<Response> {
  const body = await readWebJson(c.req.raw, ADMIN_BODY_BYTES_MAX);
  if ('refused' in body) {
    const { status } = body.refused;
    const { code, message } = body.refused.body;
    return Response.json(errorBody(code, message), { status, headers: { connection: 'close' } });
  }
  const refusal = await refusalOf?.((body.value ?? {}) as GivenRequest);
  if (refusal !== undefined) {
    const message = refusal === 'FORBIDDEN' ? 'forbidden' : 'not signed in';
    return Response.json(errorBody(refusal, message), { status: REFUSALS[refusal] });
  }
  const answer = await admin(body.value, addressOf(c.env.incoming), c.req.header('origin'));
  return Response.json(answer.body, { status: answer.status, headers: { ...answer.headers } });
}

/**
 * Adds the route for pages of registered applications. Browsers let only these pages read the
 * answers, and the handlers check that the origin belongs to the application of the request.
 */
function routeApplications(app: Hono<Env>, { admin, isApplicationOrigin, addressOf }: AppParts): void {
  app.use(APPLICATION_PATH, async (c, next) => {
    const origin = c.req.header('origin');
    if (origin === undefined || !(await isApplicationOrigin(origin))) return c.text('forbidden', 403);
    await next();
    c.res.headers.set('access-control-allow-origin', origin);
    c.res.headers.append('vary', 'Origin');
    return undefined;
  });
  app.options(
    APPLICATION_PATH,
    () =>
      new Response(null, {
        status: 204,
        headers: {
          'access-control-allow-methods': 'PUT,POST',
          'access-control-allow-headers': 'Content-Type',
        },
      }),
  );
  app.on(['PUT', 'POST'], APPLICATION_PATH, (c) =>
    answerAdmin(c, admin, addressOf, async ({ type }) =>
      isApplicationSessionRequest(type) ? undefined : 'FORBIDDEN',
    ),
  );
}

/**
 * Adds the route that extends a token which its user handed to another application. Pages of the
 * same origins as at the gateway may use it: the token is the secret, and no cookie counts. Other
 * requests aren't counted, so a foreign page doesn't use up the requests of its visitors.
 */
function routeExtension(app: Hono<Env>, parts: AppParts): void {
  const { admin, origins, addressOf, hostOf, tokens } = parts;
  app.use(EXTEND_PATH, async (c, next) => {
    await next();
    const cors = origins.cors(c.req.header('origin'), hostOf(c.env.incoming));
    for (const [name, value] of Object.entries(cors)) c.res.headers.set(name, value);
  });
  app.options(EXTEND_PATH, () => new Response(null, { status: 200 }));
  app.put(EXTEND_PATH, (c) =>
    answerAdmin(c, admin, addressOf, async ({ type, token }) => {
      if (type !== 'reqExtendToken' || typeof token !== 'string') return 'FORBIDDEN';
      try {
        const { until } = await tokens.verify(token);
        return until === undefined ? 'FORBIDDEN' : undefined;
      } catch (cause) {
        // Any other error is the server's own, and must not end the access of a valid token.
        if (isFixpointError(cause, 'NOT_SIGNED_IN')) return 'NOT_SIGNED_IN';
        throw cause;
      }
    }),
  );
}

/**
 * Adds the routes for apps of other origins: preflight requests, and objects at signed URLs.
 * `gateway-door.ts` handles the messages to the gateway.
 */
function routeGateway(app: Hono<Env>, { objects, origins, hostOf }: AppParts): void {
  const cors = (c: Call) => origins.cors(c.req.header('origin'), hostOf(c.env.incoming));
  const preflight = (c: Call) => new Response(null, { status: 200, headers: cors(c) });
  app.options(STORAGE_PATH, preflight);
  app.options('/obj/*', preflight);
  app.all('/obj/*', async (c) => {
    const { url = '' } = c.env.incoming;
    const host = new URL(origins.of(hostOf(c.env.incoming))).host;
    const response = await objects.handle(c.req.raw, url, host);
    for (const [name, value] of Object.entries(cors(c))) response.headers.set(name, value);
    return response;
  });
}

/**
 * Returns whether the caller may read the metrics: either it sends the token, or it connects
 * directly from this machine. Also checks the `Host` header, because a web page can make its host
 * name resolve to this machine.
 */
function maySeeMetrics(c: Call, token: string | undefined): boolean {
  const given = Buffer.from(c.req.header('authorization') ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  if (token !== undefined && given.length === wanted.length && timingSafeEqual(given, wanted)) return true;
  const isProxied = ['x-forwarded-for', 'forwarded', 'via'].some((name) => c.req.header(name) !== undefined);
  const host = (c.req.header('host') ?? '').replace(/:\d+$/, '');
  if (!/^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host)) return false;
  return !isProxied && /^(::ffff:)?127\.|^::1$/.test(c.env.incoming.socket.remoteAddress ?? '');
}
