/**
 * What may reach the built-in identity provider: the routes below and no others, small JSON bodies, and not too often. A password costs about 150 ms of
 * hashing, so attempts are counted before; those that succeed are not counted.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { refuseEasy } from './easy-passwords.ts';
import { wordsOf } from './own-words.ts';
import { createThrottle } from './throttle.ts';

/** Carries the client's address to the provider, which sees no other header with an address. */
export const IP_HEADER = 'x-fp-client-ip';
const FOREIGN_IP_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'cf-connecting-ip'];
const BODY_BYTES_MAX = 16_384;

const METHOD_BY_ROUTE: Readonly<Record<string, string>> = {
  '/auth/sign-up/email': 'POST',
  '/auth/sign-in/email': 'POST',
  '/auth/sign-out': 'POST',
  '/auth/get-session': 'GET',
  '/auth/token': 'GET',
  '/auth/jwks': 'GET',
  '/auth/verify-email': 'GET',
  '/auth/send-verification-email': 'POST',
  '/auth/sign-in/magic-link': 'POST',
  '/auth/magic-link/verify': 'GET',
  '/auth/request-password-reset': 'POST',
  '/auth/reset-password': 'POST',
  '/auth/change-password': 'POST',
  '/auth/sign-in/social': 'POST',
  '/auth/callback/oidc': 'GET',
  '/auth/confirm': 'POST',
  '/auth/account': 'GET',
  '/auth/passkey/generate-register-options': 'GET',
  '/auth/passkey/verify-registration': 'POST',
  '/auth/passkey/list-user-passkeys': 'GET',
  '/auth/passkey/update-passkey': 'POST',
  '/auth/passkey/delete-passkey': 'POST',
  '/auth/passkey/generate-authenticate-options': 'GET',
  '/auth/passkey/verify-authentication': 'POST',
  '/auth/two-factor/enable': 'POST',
  '/auth/two-factor/verify-totp': 'POST',
  '/auth/two-factor/verify-backup-code': 'POST',
  '/auth/two-factor/generate-backup-codes': 'POST',
  '/auth/two-factor/disable': 'POST',
  '/auth/sessions': 'GET',
  '/auth/sessions/end': 'POST',
};

/** Routes by which a password or a code is tried, beside signing in. */
const TRYING: readonly string[] = [
  '/auth/change-password',
  '/auth/confirm',
  '/auth/two-factor/enable',
  '/auth/two-factor/verify-totp',
  '/auth/two-factor/verify-backup-code',
  '/auth/two-factor/generate-backup-codes',
  '/auth/two-factor/disable',
];

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

/** Routes by which nobody comes in, and that are asked all the time. */
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
/** Whose answers hold no session, and a `token` that is meant to be read. */
const TELLING = ['/auth/token', '/auth/jwks'];

/** What the log says of attempts: never an address of somebody, a password or a token. */
export interface SecurityEvent {
  readonly event: 'identity';
  readonly route: string;
  readonly status: number;
  /** From where it came. */
  readonly from: string;
}

type Handle = (request: Request) => Promise<Response>;

export function createDoor(
  provider: Handle,
  note: (event: SecurityEvent) => void = () => undefined,
): (request: Request, clientIp: string) => Promise<Response> {
  const pass = createPass(provider);
  return async (request, clientIp) => {
    const response = await pass(request, clientIp);
    const { pathname } = new URL(request.url);
    if (Object.hasOwn(METHOD_BY_ROUTE, pathname) && !READING.includes(pathname))
      note({ event: 'identity', route: pathname, status: response.status, from: clientIp });
    return response;
  };
}

function createPass(provider: Handle): (request: Request, clientIp: string) => Promise<Response> {
  const limits = createLimits();
  return async (request, clientIp) => {
    try {
      const { pathname } = new URL(request.url);
      if (!Object.hasOwn(METHOD_BY_ROUTE, pathname) || METHOD_BY_ROUTE[pathname] !== request.method)
        throw new FixpointError('NOT_FOUND');
      const text = request.method === 'POST' ? await readBody(request) : undefined;
      const { email, newPassword, name } = readSent(pathname, text);
      const { before, after } = limits(pathname, clientIp, email);
      await before();
      if (newPassword !== undefined) refuseEasy(newPassword, wordsOf(email, name));
      const response = await provider(cleaned(request, text, clientIp));
      if (response.ok) await after();
      return withoutStore(TELLING.includes(pathname) ? response : await withoutSecrets(response));
    } catch (cause) {
      return refusal(cause);
    }
  };
}

function createLimits() {
  const anything = createThrottle(600, 60);
  const signInByAccount = createThrottle(5, 60);
  const signInByAddress = createThrottle(20, 60);
  const signUp = createThrottle(60, 60);
  const passwordByAddress = createThrottle(10, 60);
  const mailByAddress = createThrottle(10, 600);
  const mailByAccount = createThrottle(3, 600);
  return (pathname: string, ip: string, email: string) => {
    const account = `${ip} ${email}`;
    if (TRYING.includes(pathname))
      return { before: () => passwordByAddress.count(ip), after: () => passwordByAddress.forgive(ip) };
    switch (pathname) {
      case '/auth/sign-in/email':
        return {
          before: async () => {
            await signInByAddress.count(ip);
            await signInByAccount.count(account);
          },
          after: async () => {
            await signInByAddress.forgive(ip);
            await signInByAccount.forgive(account);
          },
        };
      case '/auth/sign-up/email':
        return { before: () => signUp.count(ip), after: nothing };
      case '/auth/sign-in/magic-link':
      case '/auth/request-password-reset':
      case '/auth/send-verification-email':
        return {
          before: async () => {
            await mailByAddress.count(ip);
            await mailByAccount.count(email);
          },
          after: nothing,
        };
      default:
        return { before: () => anything.count(ip), after: nothing };
    }
  };
}

const nothing = async () => {};

async function readBody(request: Request): Promise<string> {
  const length = Number(request.headers.get('content-length') ?? 0);
  const isChunked = request.headers.has('transfer-encoding');
  if (isChunked || length > BODY_BYTES_MAX)
    throw new FixpointError('REQUEST_INVALID', `at most ${BODY_BYTES_MAX} bytes, sent whole`);
  const text = await request.text();
  if (text.length > BODY_BYTES_MAX)
    throw new FixpointError('REQUEST_INVALID', `at most ${BODY_BYTES_MAX} bytes`);
  // A form can be posted from any origin without being asked; JSON can't (S13).
  if (text !== '' && !(request.headers.get('content-type') ?? '').startsWith('application/json'))
    throw new FixpointError('REQUEST_INVALID', 'content-type must be application/json');
  return text;
}

interface Sent {
  readonly email: string;
  /** One that is to be used from now on. */
  readonly newPassword: string | undefined;
  readonly name: string;
}

function readSent(pathname: string, text: string | undefined): Sent {
  const given = parsed(text);
  // It would be a session that no list shows and no reset ends.
  if (given['trustDevice'] !== undefined) throw new FixpointError('REQUEST_INVALID', 'trustDevice');
  const textOf = (key: string) => (typeof given[key] === 'string' ? given[key] : undefined);
  return {
    email: (textOf('email') ?? '').trim().toLowerCase().slice(0, 320),
    newPassword: pathname === '/auth/sign-up/email' ? textOf('password') : textOf('newPassword'),
    name: textOf('name') ?? '',
  };
}

function parsed(text: string | undefined): Record<string, unknown> {
  try {
    return (JSON.parse(text || '{}') ?? {}) as Record<string, unknown>;
  } catch {
    throw new FixpointError('REQUEST_INVALID', 'not JSON');
  }
}

function cleaned(request: Request, text: string | undefined, clientIp: string): Request {
  const headers = new Headers(request.headers);
  for (const name of FOREIGN_IP_HEADERS) headers.delete(name);
  headers.delete('content-length');
  headers.set(IP_HEADER, clientIp);
  return new Request(request.url, { method: request.method, headers, ...(text && { body: text }) });
}

/** The session is a cookie that no script reads: its token stands in no answer either. */
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
  return Response.json({ code, message }, { status, headers: { 'cache-control': 'no-store' } });
}
