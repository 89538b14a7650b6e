/**
 * Sends messages over HTTP: the first request to every gateway, and all requests if the gateway
 * doesn't offer websockets.
 */
import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { AnswerOf, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import type { Fields, Target } from './connection.ts';
import { decodeMessage, encodeMessage, expectAnswer, newId } from './message-codec.ts';
import { withToken } from './token-source.ts';

const HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/**
 * Sends one message and returns the answer.
 * @throws FixpointError FETCH, TIMEOUT, HTTP, DECODE, INVALID_MESSAGE, or the gateway's refusal
 */
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

/** Reads the refusal of a gateway. Returns undefined for any other body, such as a proxy's. */
function readRefusal(body: Uint8Array): StorageAnswer | undefined {
  try {
    const message = decodeMessage(body);
    return message.type === 'error' ? message : undefined;
  } catch (cause) {
    if (isFixpointError(cause)) return undefined;
    throw cause;
  }
}
