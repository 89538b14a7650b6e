/** Messages over HTTP: the first question to every gateway, and all of them where it offers no websockets. */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { AnswerOf, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import { withToken } from '../token.ts';
import type { Fields, Target } from './connection.ts';
import { decodeMessage, encodeMessage, expectAnswer, newId } from './messages.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** One message out, one back. @throws FixpointError FETCH, TIMEOUT, HTTP, DECODE, INVALID_MESSAGE, or what the gateway refused */
export function exchange<T extends StorageAnswer['type']>(
  { network, random }: Platform,
  { tokens }: Target,
  url: URL,
  type: string,
  answer: T,
  fields: Fields,
  tid = newId(random),
): Promise<AnswerOf<T>> {
  return withToken(tokens, async (token) => {
    const { status, body } = await network.request({
      method: 'PUT',
      url: url.href,
      headers: HEADERS,
      body: encodeMessage(type, tid, token, fields),
      timeoutMs: LIMITS.messageTimeoutMs,
    });
    if (status >= 200 && status < 300) return expectAnswer(decodeMessage(body), answer);
    const refusal = readRefusal(body);
    if (refusal === undefined) throw new FixpointError('HTTP', String(status));
    return expectAnswer(refusal, answer);
  });
}

/** A gateway says why in a message; what stands between may answer with anything. */
function readRefusal(body: Uint8Array): StorageAnswer | undefined {
  try {
    const message = decodeMessage(body);
    return message.type === 'error' ? message : undefined;
  } catch (cause) {
    if (isFixpointError(cause)) return undefined;
    throw cause;
  }
}
