import { FixpointError } from '../errors.ts';
import type { Result } from '../result.ts';
import { type Answer, type Payload, REQUESTS, type RequestType } from './requests.ts';
import type { Auth } from './shapes.ts';

export interface AdminClientOptions {
  /** Address of the admin API, such as `/api`. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** The identity token, or undefined when nobody is signed in. */
  readonly auth: () => Promise<Auth | undefined>;
}

export interface AdminClient {
  call<T extends RequestType>(type: T, payload: Payload<T>): Promise<Result<Answer<T>>>;
}

/** Speaks to the admin API. Never throws: what was refused comes back as an error. */
export function createAdminClient({ url, fetch, auth }: AdminClientOptions): AdminClient {
  return {
    call: async <T extends RequestType>(type: T, payload: Payload<T>): Promise<Result<Answer<T>>> => {
      try {
        const credentials = await auth();
        if (credentials === undefined) throw new FixpointError('NO_TOKEN');
        const response = await fetch(url, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', accept: 'application/json' },
          credentials: 'omit',
          body: JSON.stringify({ type, auth: credentials, ...payload }),
        });
        const body = await response.text();
        if (!response.ok) return { ok: false, error: refusal(response, body) };
        return { ok: true, value: REQUESTS[type].answer.parse(JSON.parse(body)) as Answer<T> };
      } catch (cause) {
        const error =
          cause instanceof FixpointError
            ? cause
            : new FixpointError('FETCH', (cause as Error).message, { cause });
        return { ok: false, error };
      }
    },
  };
}

/** The text is the one of spec §8; the code is the server's, where it gave one. */
function refusal({ status, statusText }: Response, body: string): FixpointError {
  const error = new FixpointError('HTTP', undefined, { cause: reasonOf(body) });
  error.message = `HTTP: ${status} ${statusText}: ${body}`;
  return error;
}

function reasonOf(body: string): string {
  try {
    const { message } = JSON.parse(body) as { message?: unknown };
    return typeof message === 'string' ? message : body;
  } catch {
    return body;
  }
}

/** What to show a person: the reason that the server gave, or else the error's text. */
export const reasonFor = (error: FixpointError): string =>
  typeof error.cause === 'string' ? error.cause : error.message;
