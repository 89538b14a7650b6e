import { LIMITS } from '@fixpoint/protocol';
import type { AnswerOf, Conn, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, Target } from './connection.ts';
import { decodeMessage, encodeMessage, expectAnswer, newTid } from './messages.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One message out, one back. @throws FixpointError FETCH, TIMEOUT, DECODE, INVALID_MESSAGE */
export async function exchange<T extends StorageAnswer['type']>(
  { network, random }: Platform,
  { gateway, token }: Pick<Target, 'gateway' | 'token'>,
  type: string,
  answer: T,
  fields: Fields,
  tid = newTid(random),
): Promise<AnswerOf<T>> {
  const { body } = await network.request({
    method: 'PUT',
    url: gateway.href,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: encodeMessage(type, tid, await token(), fields),
    timeoutMs: LIMITS.messageTimeoutMs,
  });
  return expectAnswer(decodeMessage(body), answer);
}

/** A connection by requests alone: metas are polled for until an error ends it. */
export async function openHttp(
  platform: Platform,
  target: Target,
  reqId: string,
  events: ConnectionEvents,
): Promise<Connection> {
  const send = <T extends StorageAnswer['type']>(type: string, answer: T, fields: Fields, tid?: string) =>
    exchange(platform, target, type, answer, fields, tid);
  const opened = await send('reqOpen', 'resOpen', { conn: { reqId } });
  const conn: Conn = opened.conn;
  let closed = false;
  let stopTimer: () => void = () => undefined;
  return {
    conn,
    request: (type, answer, fields) => send(type, answer, { conn, ...fields }),
    bind: async (fields) => {
      const tid = newTid(platform.random);
      const poll = async (): Promise<void> => {
        const { meta } = await send('bindGetMeta', 'eventGetMeta', { conn, ...fields }, tid);
        if (closed) return;
        events.metas(meta);
        stopTimer = platform.time.after(LIMITS.pollIntervalMs, () => {
          poll().catch((cause) => {
            if (!closed) events.closed(cause);
            closed = true;
          });
        });
      };
      await poll();
    },
    close: () => {
      closed = true;
      stopTimer();
    },
  };
}
