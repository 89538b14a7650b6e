import { FixpointError, LIMITS } from '@fixpoint/protocol';
import type { StorageAnswer } from '@fixpoint/protocol/storage';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, Fields, KnownConn, Target } from './connection.ts';
import { exchange } from './http.ts';
import { newId } from './message-codec.ts';

/** Opens a connection that uses only HTTP requests. It polls for metas until a poll fails. */
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
    const event = await ask('bindGetMeta', 'eventGetMeta', { conn: pair, ...fields }, tid);
    if (isOver) throw new FixpointError('CONNECTION_NOT_OPEN');
    events.metas(event);
    stopTimer();
    stopTimer = time.after(event.more ? 0 : LIMITS.pollIntervalMs, () => void poll(fields).catch(fail));
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
    bind: async (fields) => {
      try {
        await poll(fields);
      } catch (cause) {
        // This poll has replaced the waiting one. Without a failure, no poll would follow.
        fail(cause);
        throw cause;
      }
    },
    close: finish,
  };
}
