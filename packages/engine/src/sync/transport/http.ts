import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { AnswerOf, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import { withToken } from '../token.ts';
import {
  type Connection,
  type ConnectionEvents,
  type Fields,
  type KnownConn,
  listingOf,
  type Target,
} from './connection.ts';
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

/** A connection by requests alone: metas are polled for until a poll fails. */
export async function openHttp(
  platform: Platform,
  target: Target,
  url: URL,
  known: KnownConn,
  events: ConnectionEvents,
): Promise<Connection> {
  const { time, random } = platform;
  let isOver = false;
  let stopTimer: () => void = () => undefined;
  /** As far as the metas were handed over. It is said from the first time on: a gateway that counts by itself would take a request that comes twice for two. */
  let cursor = 0;

  async function ask<T extends StorageAnswer['type']>(type: string, answer: T, fields: Fields, tid?: string) {
    if (isOver) throw new FixpointError('CONNECTION_NOT_OPEN');
    return exchange(platform, target, url, type, answer, fields, tid);
  }

  const { conn } = await ask('reqOpen', 'resOpen', { conn: known });
  const pair = { reqId: conn.reqId, resId: conn.resId };
  const tid = newId(random);

  function finish(): void {
    isOver = true;
    stopTimer();
  }

  async function poll(fields: Fields): Promise<void> {
    stopTimer();
    const event = await ask('bindGetMeta', 'eventGetMeta', { conn: pair, ...fields, cursor }, tid);
    if (isOver) throw new FixpointError('CONNECTION_NOT_OPEN');
    const reached = event['cursor'];
    if (typeof reached === 'number') cursor = reached;
    events.metas(listingOf(event));
    stopTimer();
    stopTimer = time.after(LIMITS.pollIntervalMs, () => void poll(fields).catch(fail));
  }

  function fail(cause: unknown): void {
    if (isOver) return;
    finish();
    events.closed(cause);
  }

  return {
    conn: pair,
    request: async (type, answer, fields) => {
      try {
        return await ask(type, answer, { conn: pair, ...fields });
      } catch (cause) {
        const isLinkDown = ['FETCH', 'TIMEOUT', 'HTTP', 'NO_CONNECTION'].some(
          (code) => cause instanceof FixpointError && cause.code === code,
        );
        if (isLinkDown) fail(cause);
        throw cause;
      }
    },
    bind: poll,
    close: finish,
  };
}
