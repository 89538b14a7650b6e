import { ADMIN_PATH, STORAGE_PATH } from '@fixpoint/protocol';
import { type Context, Hono } from 'hono';
import type { Admin } from '../admin/dispatch.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Identity } from '../identity/identity.ts';
import type { Objects } from '../objects/disk-objects.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { StaticConsole } from './static-console.ts';

const ADMIN_BYTES_MAX = 65_536;
const GATEWAY_BYTES_MAX = 1_048_576;
/** Apps on other origins speak to the gateway; the request carries its own credentials, never cookies. */
const OPEN_CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET,POST,OPTIONS,PUT,DELETE',
  'access-control-allow-headers': 'Origin, Content-Type, Accept',
  'access-control-max-age': '86400',
};

export interface AppParts {
  readonly admin: Admin;
  readonly gateway: Gateway;
  readonly identity: Identity;
  readonly objects: Objects;
  readonly tokens: CloudTokens;
  readonly console: StaticConsole;
  readonly headersFor: (path: string) => Record<string, string>;
  /** Whether the stores answer. */
  readonly isReady: () => Promise<boolean>;
  readonly clientIp: (context: Context) => string;
}

export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', async (c) => ((await parts.isReady()) ? c.text('ready') : c.text('not ready', 503)));
  app.get('/.well-known/jwks.json', (c) =>
    c.json(parts.tokens.jwks(), 200, { 'cache-control': 'public, max-age=300' }),
  );

  app.on(['PUT', 'POST'], ADMIN_PATH, async (c) => {
    const body = await readJson(c, ADMIN_BYTES_MAX);
    if (body instanceof Response) return body;
    const answer = await parts.admin(body.value);
    return Response.json(answer.body, { status: answer.status, headers: { 'cache-control': 'no-store' } });
  });

  app.options(STORAGE_PATH, () => new Response(null, { status: 200, headers: OPEN_CORS }));
  app.put(STORAGE_PATH, async (c) => {
    const body = await readJson(c, GATEWAY_BYTES_MAX);
    if (body instanceof Response) return withHeaders(body, OPEN_CORS);
    const answer = await parts.gateway(body.value, { resId: undefined });
    return Response.json(answer, { status: answer.type === 'error' ? 500 : 200, headers: OPEN_CORS });
  });

  app.options('/obj/*', () => new Response(null, { status: 200, headers: OPEN_CORS }));
  app.on(['GET', 'PUT', 'DELETE'], '/obj/*', async (c) =>
    withHeaders(await parts.objects.handle(c.req.raw), OPEN_CORS),
  );

  app.on(['GET', 'POST'], '/auth/*', (c) => parts.identity.handle(c.req.raw, parts.clientIp(c)));

  app.get('*', (c) => parts.console(c.req.path) ?? c.notFound());
  app.notFound((c) => c.text('Not found', 404, parts.headersFor(c.req.path)));
  return app;
}

/** The JSON of a body that is small enough; else the refusal. The content type makes browsers ask before they send one from elsewhere. */
async function readJson(c: Context, bytesMax: number): Promise<{ value: unknown } | Response> {
  if (!(c.req.header('content-type') ?? '').startsWith('application/json'))
    return refusal(415, 'content-type must be application/json');
  const length = Number(c.req.header('content-length') ?? Number.NaN);
  if (!Number.isInteger(length)) return refusal(411, 'content-length is required');
  if (length > bytesMax) return refusal(413, `at most ${bytesMax} bytes`);
  try {
    return { value: JSON.parse(await c.req.text()) };
  } catch {
    return refusal(400, 'not JSON');
  }
}

const refusal = (status: number, message: string) =>
  Response.json({ type: 'error', tid: 'internal', message, auth: { type: 'error' } }, { status });

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
