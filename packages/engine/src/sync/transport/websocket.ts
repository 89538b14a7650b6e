import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { Conn, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Socket } from '../../ports/network.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, Fields, KnownConn, Target } from './connection.ts';
import { decodeMessage } from './message-codec.ts';
import { createMessenger } from './messenger.ts';

/** Silence after which the link is probed. A dead link is therefore noticed within 23 s. */
const SILENCE_MS = 20_000;

/**
 * Opens a connection over a websocket.
 * @throws FixpointError WS, TIMEOUT, or the gateway's refusal
 */
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
  let opened: Connection | undefined;
  let isOver = false;
  let isEarly = false;
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
      // A server that doesn't answer in time is treated as dead. If the server sent garbage, the
      // garbage is reported instead.
      const why = reader.garbage() ?? cause;
      fail(why);
      throw why;
    }
  }

  function watchSilence(): void {
    stopSilence();
    stopSilence = time.after(SILENCE_MS, () => void ask('reqGestalt', 'resGestalt', {}).catch(fail));
  }

  const reader = createReader(watchSilence, (message) => {
    if (message.type === 'eventGetMeta') {
      // Events with other connection ids are not for this database.
      if (message.conn.reqId !== conn?.reqId || message.conn.resId !== conn.resId) return;
      events.metas(message);
    }
    messenger.take(message);
  });
  function receive(text: string): void {
    isEarly ||= socket === undefined;
    if (!isOver && !isEarly && !opened?.presence?.(text)) reader.read(text);
  }
  const lost = () => fail(new FixpointError('CONNECTION_NOT_OPEN'));
  socket = await network.connect(url.href, { message: receive, closed: lost }, LIMITS.messageTimeoutMs);
  watchSilence();
  try {
    // Only someone other than the gateway would send before the socket is open.
    if (isEarly) throw new FixpointError('RECEIVED_BEFORE_OPEN');
    conn = (await ask('reqOpen', 'resOpen', { conn: known })).conn;
  } catch (cause) {
    finish();
    throw cause;
  }
  const pair = { reqId: conn.reqId, resId: conn.resId };
  opened = {
    conn: pair,
    request: (type, answer, fields) => ask(type, answer, { conn: pair, ...fields }),
    bind: async (fields) => void (await ask('bindGetMeta', 'eventGetMeta', { conn: pair, ...fields })),
    close: finish,
  };
  return opened;
}

/** Decodes frames. @param heard called before a frame is decoded */
function createReader(heard: () => void, deliver: (message: StorageAnswer) => void) {
  /** Why the last frame wasn't a valid message. */
  let garbage: unknown;
  return {
    garbage: () => garbage,
    read: (text: string): void => {
      heard();
      let message: StorageAnswer;
      try {
        message = decodeMessage(text);
      } catch (cause) {
        // The frame may be a message of a newer protocol. If a request times out, the request fails
        // with this error.
        garbage = cause;
        return;
      }
      garbage = undefined;
      deliver(message);
    },
  };
}
