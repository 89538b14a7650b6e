/** Calls the identity routes of this server. The session is a cookie that scripts cannot read. */
import { ERROR_TEXT, type ErrorCode, FixpointError, type Result } from '@fixpoint/protocol';
import { UNREACHABLE } from '../../ui/text/failure-text.ts';

export interface AuthRoutes {
  /**
   * Resolves with undefined when nobody is signed in. @throws FixpointError FETCH, HTTP, or the
   * server's own code
   */
  get<T>(path: string): Promise<T | undefined>;
  /** When the server rejects the call, resolves with an error whose cause is a text for users. */
  post<T>(path: string, body: unknown): Promise<Result<T>>;
}

const PATH = '/auth';
const NO_CLOUD =
  'Couldn’t find a Fixpoint server at this address. Open the console at the address of your server.';

export function createAuthRoutes(fetch: typeof globalThis.fetch): AuthRoutes {
  return {
    get: async <T>(path: string) => {
      const response = await fetch(PATH + path).catch((cause: Error) => {
        throw new FixpointError('FETCH', cause.message, { cause });
      });
      if (response.status === 401) return undefined;
      if (response.ok)
        return (
          ((await response.json().catch((cause: unknown) => {
            throw new FixpointError('HTTP', NO_CLOUD, { cause });
          })) as T | null) ?? undefined
        );
      const { code, message } = await said(response);
      if (isErrorCode(code)) throw new FixpointError(code, undefined, { cause: message });
      throw new FixpointError('HTTP', `${response.status} ${response.statusText}`.trim());
    },
    post: async <T>(path: string, body: unknown): Promise<Result<T>> => {
      const headers = { 'content-type': 'application/json' };
      const request = { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(PATH + path, request).catch(() => undefined);
      if (response === undefined) return refused(UNREACHABLE);
      if (response.ok) return { ok: true, value: (await response.json().catch(() => ({}))) as T };
      const { code, message } = await said(response);
      const isToldByCode = code === 'CONFIRM_IDENTITY' || code === 'SECOND_FACTOR_NEEDED';
      return refused(reasonOf(response.status, code, message), isToldByCode ? code : undefined);
    },
  };
}

/** Returns an error whose text the interface shows unchanged. */
export const refused = (
  why: string,
  code: ErrorCode = 'REQUEST_INVALID',
): { readonly ok: false; readonly error: FixpointError } => ({
  ok: false,
  error: new FixpointError(code, undefined, { cause: why }),
});

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERROR_TEXT, code);

async function said(response: Response): Promise<{ code?: unknown; message?: unknown }> {
  const answer: unknown = await response.json().catch(() => undefined);
  return typeof answer === 'object' && answer !== null ? answer : {};
}

/** Texts for codes whose message on the server doesn't say what to do next. */
const REASONS: ReadonlyMap<unknown, string> = new Map([
  ['INVALID_CODE', 'This code isn’t valid. Enter the code that your app shows now.'],
  ['INVALID_BACKUP_CODE', 'This backup code isn’t valid, or was used before. Enter another one.'],
]);

function reasonOf(status: number, code: unknown, message: unknown): string {
  if (status === 429) return 'Too many attempts. Wait a minute, then try again.';
  const known = REASONS.get(code);
  if (known !== undefined) return known;
  if (typeof message === 'string' && message !== '') return message;
  return `The server reported error ${status}. Try again in a moment.`;
}
