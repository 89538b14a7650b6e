/**
 * Admits requests to the built-in identity provider. Limits their rate, and accepts only listed
 * routes, listed fields and small JSON bodies.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { IDENTITY_BODY_BYTES_MAX } from '../limits/body-limits.ts';
import { createTurns } from '../limits/concurrency-limit.ts';
import { retryHeaders } from '../limits/rate-limiter.ts';
import { type AttemptParts, createAttempts, isHashing } from './attempts.ts';
import { refuseEasy } from './passwords/easy-passwords.ts';
import { wordsOf } from './passwords/own-words.ts';
import { allowedFields, fieldsOf, isRoute } from './routes.ts';

/** Passes the client's address to the provider, which gets no other header with an address. */
export const IP_HEADER = 'x-fp-client-ip';
const FOREIGN_IP_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'];

const STATUS_BY_CODE: Partial<Record<string, number>> = {
  NOT_FOUND: 404,
  NOT_SIGNED_IN: 401,
  FORBIDDEN: 403,
  CONFIRM_IDENTITY: 403,
  SECOND_FACTOR_NEEDED: 403,
  CONFLICT: 409,
  REQUEST_INVALID: 400,
  RATE_LIMITED: 429,
  FETCH: 502,
};

/** Frequent routes that sign nobody in. Requests to them aren't logged. */
const READING = [
  '/auth/get-session',
  '/auth/token',
  '/auth/jwks',
  '/auth/sessions',
  '/auth/account',
  '/auth/passkey/list-user-passkeys',
  '/auth/passkey/generate-register-options',
  '/auth/passkey/generate-authenticate-options',
];
/**
 * Routes whose answers keep the field `token`, because it isn't a session token there, and scripts
 * need it.
 */
const TELLING = ['/auth/token', '/auth/jwks'];

/** An attempt in the log. It never contains an email address, a password or a token. */
export interface SecurityEvent {
  readonly event: 'identity';
  readonly route: string;
  readonly status: number;
  /** Network address that the request came from. */
  readonly from: string;
}

type Handle = (request: Request) => Promise<Response>;

/** The number of threads in Node's pool, which computes the hashes. */
const HASHES_AT_ONCE = 4;
const HASHES_WAITING_MAX = 100;

export interface DoorParts extends AttemptParts {
  readonly note?: ((event: SecurityEvent) => void) | undefined;
}

export function createDoor(
  provider: Handle,
  { note = () => undefined, ...parts }: DoorParts,
): (request: Request, clientIp: string) => Promise<Response> {
  const pass = createPass(provider, parts);
  return async (request, clientIp) => {
    const response = await pass(request, clientIp);
    const { pathname } = new URL(request.url);
    if (isRoute(pathname) && !READING.includes(pathname))
      note({ event: 'identity', route: pathname, status: response.status, from: clientIp });
    return response;
  };
}

function createPass(
  provider: Handle,
  parts: AttemptParts,
): (request: Request, clientIp: string) => Promise<Response> {
  const attempts = createAttempts(parts);
  const hashing = createTurns(HASHES_AT_ONCE, HASHES_WAITING_MAX);
  return async (request, clientIp) => {
    try {
      const { pathname } = new URL(request.url);
      const fields = fieldsOf(pathname, request.method);
      const text = request.method === 'POST' ? await readBody(request) : '';
      const given = allowedFields(parsed(text), fields);
      const { email, newPassword, name } = readSent(pathname, given);
      const { before, after } = attempts(pathname, clientIp, email);
      await before();
      if (newPassword !== undefined) refuseEasy(newPassword, wordsOf(email, name));
      const passed = cleaned(request, text === '' ? undefined : given, clientIp);
      const response = await (isHashing(pathname) ? hashing.run(() => provider(passed)) : provider(passed));
      if (response.ok) await after();
      return withoutStore(TELLING.includes(pathname) ? response : await withoutSecrets(response));
    } catch (cause) {
      return refusal(cause);
    }
  };
}

async function readBody(request: Request): Promise<string> {
  const length = Number(request.headers.get('content-length') ?? 0);
  const isChunked = request.headers.has('transfer-encoding');
  if (isChunked || length > IDENTITY_BODY_BYTES_MAX)
    throw new FixpointError('REQUEST_INVALID', `at most ${IDENTITY_BODY_BYTES_MAX} bytes, sent whole`);
  const text = await request.text();
  if (text.length > IDENTITY_BODY_BYTES_MAX)
    throw new FixpointError('REQUEST_INVALID', `at most ${IDENTITY_BODY_BYTES_MAX} bytes`);
  // Pages of any origin can post a form without a preflight, but not JSON (S13).
  if (text !== '' && !(request.headers.get('content-type') ?? '').startsWith('application/json'))
    throw new FixpointError('REQUEST_INVALID', 'content-type must be application/json');
  return text;
}

interface Sent {
  readonly email: string;
  /** The password that the request sets; undefined if it sets none. */
  readonly newPassword: string | undefined;
  readonly name: string;
}

function readSent(pathname: string, given: Readonly<Record<string, unknown>>): Sent {
  const textOf = (key: string) => (typeof given[key] === 'string' ? given[key] : undefined);
  return {
    email: (textOf('email') ?? '').trim().toLowerCase().slice(0, 320),
    newPassword: pathname === '/auth/sign-up/email' ? textOf('password') : textOf('newPassword'),
    name: textOf('name') ?? '',
  };
}

function parsed(text: string): Record<string, unknown> {
  const value = jsonOf(text || '{}');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FixpointError('REQUEST_INVALID', 'not a JSON object');
  return value as Record<string, unknown>;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new FixpointError('REQUEST_INVALID', 'not JSON');
  }
}

function cleaned(request: Request, sent: object | undefined, clientIp: string): Request {
  const headers = new Headers(request.headers);
  for (const name of FOREIGN_IP_HEADERS) headers.delete(name);
  headers.delete('content-length');
  headers.set(IP_HEADER, clientIp);
  return new Request(request.url, {
    method: request.method,
    headers,
    ...(sent && { body: JSON.stringify(sent) }),
  });
}

/**
 * Removes session tokens from the answer. Only the cookie contains them, so no script can read
 * them.
 */
async function withoutSecrets(response: Response): Promise<Response> {
  if (!(response.headers.get('content-type') ?? '').startsWith('application/json')) return response;
  const text = await response.text();
  const kept = JSON.stringify(JSON.parse(text || 'null'), (key, value: unknown) =>
    key === 'token' ? undefined : value,
  );
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(kept, { status: response.status, headers });
}

function withoutStore(response: Response): Response {
  response.headers.set('cache-control', 'no-store');
  return response;
}

function refusal(cause: unknown): Response {
  const status = isFixpointError(cause) ? STATUS_BY_CODE[cause.code] : undefined;
  if (status === undefined || !isFixpointError(cause)) throw cause;
  const { code, message } = cause;
  return Response.json(
    { code, message },
    { status, headers: { 'cache-control': 'no-store', ...retryHeaders(cause) } },
  );
}
