/** Requests of a session to the cloud. */
import { APPLICATION_PATH, ERROR_TEXT, type ErrorCode, FixpointError } from '@fixpoint/protocol';
import type { SessionEnvironment } from '../ports/session-environment.ts';

export type Ask = (type: string, payload: object) => Promise<Record<string, unknown>>;

/**
 * Returns a function that sends requests of an application.
 * @throws (the function) FixpointError FETCH when the server can't be reached or fails, otherwise
 * the code of the server
 */
export function askerOf(
  { post }: Pick<SessionEnvironment, 'post'>,
  base: string,
  applicationId: string,
): Ask {
  return async (type, payload) => {
    const request = { type, applicationId, ...payload };
    const { status, body } = await post(`${base}${APPLICATION_PATH}`, request).catch((cause: unknown) => {
      throw new FixpointError('FETCH', (cause as Error).message, { cause });
    });
    const answer = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    if (status === 200) return answer;
    const { code, message } = answer;
    if (status >= 500 || status === 408 || status === 429 || !isCode(code))
      throw new FixpointError('FETCH', `status ${status}`);
    throw new FixpointError(code, undefined, { cause: message });
  };
}

const isCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERROR_TEXT, code);
