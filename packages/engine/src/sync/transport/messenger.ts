/**
 * Matches answers with requests over a channel of texts: an answer has the `tid` of its request.
 */
import { LIMITS } from '@fixpoint/protocol';
import type { AnswerOf, StorageAnswer } from '@fixpoint/protocol/storage';
import { timeoutError } from '../../base/timeout-error.ts';
import type { Platform } from '../../ports/platform.ts';
import type { Fields } from './connection.ts';
import { encodeMessage, expectAnswer, newId } from './message-codec.ts';
import { type TokenSource, withToken } from './token-source.ts';

export interface Messenger {
  /**
   * Sends a request.
   * @throws FixpointError TIMEOUT, UNEXPECTED_RESPONSE, the gateway's refusal, or why the messenger
   * ended
   */
  ask<T extends StorageAnswer['type']>(type: string, answer: T, fields: Fields): Promise<AnswerOf<T>>;
  /** Delivers an answer to its request. */
  take(message: StorageAnswer): void;
  /** Rejects all pending requests, because no more answers will arrive. */
  end(cause: unknown): void;
}

interface Waiting {
  resolve(message: StorageAnswer): void;
  reject(cause: unknown): void;
}

/** @param send throws when the text can't be sent */
export function createMessenger(
  { time, random }: Pick<Platform, 'time' | 'random'>,
  tokens: TokenSource,
  send: (text: string) => void,
): Messenger {
  const waiting = new Map<string, Waiting>();
  let ended: { readonly cause: unknown } | undefined;

  function exchange(type: string, token: string, fields: Fields): Promise<StorageAnswer> {
    const tid = newId(random);
    return new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended.cause);
      const stop = time.after(LIMITS.messageTimeoutMs, () => {
        waiting.delete(tid);
        reject(timeoutError(LIMITS.messageTimeoutMs));
      });
      const settle =
        <V>(then: (value: V) => void) =>
        (value: V) => {
          stop();
          waiting.delete(tid);
          then(value);
        };
      const one = { resolve: settle(resolve), reject: settle(reject) };
      waiting.set(tid, one);
      try {
        send(encodeMessage(type, tid, token, fields));
      } catch (cause) {
        one.reject(cause);
      }
    });
  }

  return {
    ask: (type, answer, fields) =>
      withToken(tokens, async (token) => expectAnswer(await exchange(type, token, fields), answer)),
    take: (message) => waiting.get(message.tid)?.resolve(message),
    end: (cause) => {
      ended ??= { cause };
      for (const { reject } of [...waiting.values()]) reject(cause);
    },
  };
}
