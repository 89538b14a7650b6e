import { FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import type { AnswerOf, Conn, StorageAnswer } from '@fixpoint/protocol/storage';
import type { Socket } from '../../ports/network.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Connection, ConnectionEvents, Target } from './connection.ts';
import { decodeMessage, encodeMessage, expectAnswer, newTid } from './messages.ts';

/** A link that says nothing for so long is asked whether it still lives. */
const SILENCE_MS = 20_000;

interface Waiting {
  resolve(message: StorageAnswer): void;
  reject(cause: unknown): void;
}
type Fields = Readonly<Record<string, unknown>>;

/** @throws FixpointError WS, TIMEOUT, or what the gateway refused */
export async function openWebSocket(
  platform: Platform,
  target: Target,
  url: URL,
  reqId: string,
  events: ConnectionEvents,
): Promise<Connection> {
  const { network, time, random } = platform;
  const waiting = new Map<string, Waiting>();
  let isOpen = true;
  let socket: Socket;
  let stopSilence: () => void = () => undefined;

  function end(cause: unknown): void {
    if (!isOpen) return;
    isOpen = false;
    stopSilence();
    socket.close();
    for (const { reject } of waiting.values()) reject(new FixpointError('CONNECTION_NOT_OPEN'));
    waiting.clear();
    events.closed(cause);
  }

  function watchSilence(): void {
    stopSilence();
    stopSilence = time.after(SILENCE_MS, () => {
      send('reqGestalt', 'resGestalt', {}).catch(end);
    });
  }

  function receive(text: string): void {
    watchSilence();
    let message: StorageAnswer;
    try {
      message = decodeMessage(text);
    } catch (cause) {
      // A message of a newer protocol concerns nobody here; a broken link shows otherwise.
      if (isFixpointError(cause)) return;
      throw cause;
    }
    const asked = waiting.get(message.tid);
    waiting.delete(message.tid);
    if (message.type === 'eventGetMeta') events.metas(message.meta);
    asked?.resolve(message);
  }

  async function send<T extends StorageAnswer['type']>(
    type: string,
    answer: T,
    fields: Fields,
  ): Promise<AnswerOf<T>> {
    const token = await target.token();
    if (!isOpen) throw new FixpointError('CONNECTION_NOT_OPEN');
    const tid = newTid(random);
    const message = await new Promise<StorageAnswer>((resolve, reject) => {
      const stop = time.after(LIMITS.messageTimeoutMs, () => {
        waiting.delete(tid);
        const error = new FixpointError('TIMEOUT');
        error.message = `TIMEOUT after ${LIMITS.messageTimeoutMs}ms`;
        reject(error);
      });
      const settle =
        <V>(then: (value: V) => void) =>
        (value: V) => {
          stop();
          then(value);
        };
      waiting.set(tid, { resolve: settle(resolve), reject: settle(reject) });
      socket.send(encodeMessage(type, tid, token, fields));
    });
    return expectAnswer(message, answer);
  }

  socket = await network.connect(
    url.href,
    { message: receive, closed: () => end(new FixpointError('CONNECTION_NOT_OPEN')) },
    LIMITS.messageTimeoutMs,
  );
  watchSilence();
  const opened = await send('reqOpen', 'resOpen', { conn: { reqId } }).catch((cause) => {
    isOpen = false;
    stopSilence();
    socket.close();
    throw cause;
  });
  const conn: Conn = opened.conn;
  return {
    conn,
    request: (type, answer, fields) => send(type, answer, { conn, ...fields }),
    bind: async (fields) => void (await send('bindGetMeta', 'eventGetMeta', { conn, ...fields })),
    close: () => {
      isOpen = false;
      stopSilence();
      socket.close();
    },
  };
}
