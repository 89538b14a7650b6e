import { ERROR_TEXT, type ErrorCode, FixpointError } from '../errors.ts';
import type { Result } from '../result.ts';
import type { Answer, Payload, REQUESTS, RequestType } from './requests.ts';
import type { Auth } from './shapes.ts';

export interface AdminClientOptions {
  /** Address of the admin API, such as `/api`. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** Returns the identity token, or undefined when nobody is signed in. */
  readonly auth: () => Promise<Auth | undefined>;
}

type Requests = typeof REQUESTS;
type MethodOf<T extends RequestType> = T extends `req${infer Name}` ? Uncapitalize<Name> : never;

/** A method for each request, named like the request's type without `req`. */
type Methods = {
  readonly [T in RequestType as MethodOf<T>]: (
    ...given: Parameters<Requests[T]['ask']>
  ) => Promise<Result<ReturnType<Requests[T]['take']>>>;
};

/** Client of the admin API. Never throws: returns every failure as an error. */
export interface AdminClient extends Methods {
  /** Sends a payload and returns the whole answer. */
  call<T extends RequestType>(type: T, payload: Payload<T>): Promise<Result<Answer<T>>>;
}

export function createAdminClient(options: AdminClientOptions): AdminClient {
  const own: Pick<AdminClient, 'call'> = { call: (type, payload) => send(options, type, payload) };
  // Methods are created on access, because the table of requests is loaded with the first call.
  return new Proxy(own as AdminClient, {
    get: (target, name) => {
      if (typeof name !== 'string' || Object.hasOwn(target, name)) return Reflect.get(target, name);
      // With a method `then`, `await` would mistake the client for a promise.
      return name === 'then' ? undefined : (...given: never[]) => callMethod(options, name, ...given);
    },
  });
}

/**
 * Sends a request. Its definition converts the method's arguments to the payload, and the answer to
 * the result.
 */
async function callMethod(
  options: AdminClientOptions,
  method: string,
  ...given: never[]
): Promise<Result<unknown>> {
  const type = `req${method.charAt(0).toUpperCase()}${method.slice(1)}` as RequestType;
  return attempt(async () => {
    const { ask, take } = (await loadRequests()).REQUESTS[type] as Definition;
    const answer = await send(options, type, ask(...given) as Payload<RequestType>);
    if (!answer.ok) throw answer.error;
    return take(answer.value);
  });
}

/**
 * A request definition without its types; {@link Methods} has the types of arguments and results.
 */
interface Definition {
  ask(...given: readonly never[]): object;
  take(answer: object): unknown;
}

/**
 * Loads the request schemas. The first request of a client loads them, unless the page loaded them
 * earlier. Pages without requests never load the schemas.
 */
export const loadRequests = (): Promise<typeof import('./requests.ts')> => import('./requests.ts');

const send = <T extends RequestType>(
  { url, fetch, auth }: AdminClientOptions,
  type: T,
  payload: Payload<T>,
): Promise<Result<Answer<T>>> =>
  attempt(async () => {
    const { isPublicRequest, parseAnswer } = await loadRequests();
    const credentials = isPublicRequest(type) ? {} : { auth: await credentialsOf(auth) };
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      credentials: 'omit',
      body: JSON.stringify({ type, ...credentials, ...payload }),
    });
    const body = await response.text();
    if (!response.ok) throw refusal(response, body);
    return parseAnswer(type, JSON.parse(body));
  });

/** Returns the result of `work`. Returns any failure as an error, too. */
async function attempt<T>(work: () => Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (cause) {
    const error =
      cause instanceof FixpointError
        ? cause
        : new FixpointError('FETCH', (cause as Error).message, { cause });
    return { ok: false, error };
  }
}

async function credentialsOf(auth: AdminClientOptions['auth']): Promise<Auth> {
  const credentials = await auth();
  if (credentials === undefined) throw new FixpointError('NO_TOKEN');
  return credentials;
}

/**
 * Creates the error for a rejected request. The text follows spec §8; the code is the server's, if
 * the server sent a known code.
 */
function refusal({ status, statusText }: Response, body: string): FixpointError {
  const { code, message } = errorIn(body);
  const known = typeof code === 'string' && Object.hasOwn(ERROR_TEXT, code);
  const error = new FixpointError(known ? (code as ErrorCode) : 'HTTP', undefined, {
    cause: typeof message === 'string' ? message : body,
  });
  error.message = `HTTP: ${status} ${statusText}: ${body}`;
  return error;
}

/** Returns the code and message of an error answer, if it has them. */
function errorIn(body: string): { code?: unknown; message?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Returns the text to show to a person: the server's reason, otherwise the text of the error. */
export const reasonFor = (error: FixpointError): string =>
  typeof error.cause === 'string' ? error.cause : error.message;
