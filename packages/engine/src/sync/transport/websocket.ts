import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { Conn, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Socket } from '../../ports/network.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, Fields, KnownConn, Target } from './connection.ts';
import { decodeMessage } from './messages.ts';
import { createMessenger } from './messenger.ts';

/** A link that says nothing for so long is asked whether it still lives: a dead one is noticed within 23 s. */
const SILENCE_MS = 20_000;

/** @throws FixpointError WS, TIMEOUT, or what the gateway refused */
export async function openWebSocket(
  platform: Platform,
  target: Target,
  url: URL,
  known: KnownConn,
  events: ConnectionEvents,
): Promise<Connection> {
  const { network, time } = platform;
  let socket: Socket | undefined;
  let conn: Conn | undefined;
  let isOver = false;
  let isEarly = false;
  /** Why the last frame was no message. */
  let garbage: unknown;
  let stopSilence: () => void = () => undefined;
  const messenger = createMessenger(platform, target.tokens, (text) => socket?.send(text));

  function finish(): void {
    isOver = true;
    stopSilence();
    messenger.end(new FixpointError('CONNECTION_NOT_OPEN'));
    socket?.close();
  }

  function fail(cause: unknown): void {
    if (isOver) return;
    finish();
    if (conn !== undefined) events.closed(cause);
  }

  async function ask<T extends StorageAnswer['type']>(type: string, answer: T, fields: Fields) {
    try {
      return await messenger.ask(type, answer, fields);
    } catch (cause) {
      if (!isFixpointError(cause, 'TIMEOUT')) throw cause;
      // A server that doesn't answer in time doesn't hear either. One that sent garbage instead is told as that.
      const why = garbage ?? cause;
      fail(why);
      throw why;
    }
  }

  function watchSilence(): void {
    stopSilence();
    stopSilence = time.after(SILENCE_MS, () => void ask('reqGestalt', 'resGestalt', {}).catch(fail));
  }

  function receive(text: string): void {
    if (isOver) return;
    isEarly ||= socket === undefined;
    if (isEarly) return;
    watchSilence();
    let message: StorageAnswer;
    try {
      message = decodeMessage(text);
    } catch (cause) {
      // It may be a message of a newer protocol. A request that waits in vain fails with it.
      garbage = cause;
      return;
    }
    garbage = undefined;
    if (message.type === 'eventGetMeta') {
      // Events for another pair are not for this database, whatever they say.
      if (message.conn.reqId !== conn?.reqId || message.conn.resId !== conn.resId) return;
      events.metas(message);
    }
    messenger.take(message);
  }

  const lost = () => fail(new FixpointError('CONNECTION_NOT_OPEN'));
  socket = await network.connect(url.href, { message: receive, closed: lost }, LIMITS.messageTimeoutMs);
  watchSilence();
  try {
    // Whoever speaks before the socket is open is not the gateway.
    if (isEarly) throw new FixpointError('RECEIVED_BEFORE_OPEN');
    conn = (await ask('reqOpen', 'resOpen', { conn: known })).conn;
  } catch (cause) {
    finish();
    throw cause;
  }
  const pair = { reqId: conn.reqId, resId: conn.resId };
  return {
    conn: pair,
    request: (type, answer, fields) => ask(type, answer, { conn: pair, ...fields }),
    bind: async (fields) => void (await ask('bindGetMeta', 'eventGetMeta', { conn: pair, ...fields })),
    close: finish,
  };
}
