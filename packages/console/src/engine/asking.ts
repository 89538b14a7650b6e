/**
 * Sends a page's queries to the worker. The worker keeps the rows of an answer until the page
 * requests them.
 */
import { type ErrorCode, FixpointError } from '@fixpoint/protocol';
import type { AnswerRow, Found, FromAnswers, Question, ToAnswers } from './answers.ts';
import type { ChartData } from './chart-data.ts';

export interface Answer extends Found {
  /**
   * Returns rows from one position up to, but not including, another. @throws FixpointError
   * WORKER_LOST
   */
  rowsOf(from: number, to: number): Promise<readonly AnswerRow[]>;
  /** Returns all rows as JSON. @throws FixpointError WORKER_LOST */
  json(): Promise<string>;
  /** Returns the numbers of the rows for a chart. @throws FixpointError WORKER_LOST */
  chart(): Promise<ChartData>;
  /** Releases the answer in the worker. */
  drop(): void;
}

export interface Asking {
  /** Asks a question. @throws FixpointError MAP_FAILED, WORKER_LOST; the reason of the signal */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** Rejects pending and later questions, because the worker is lost. */
  lost(reason: string): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(cause: unknown): void;
}

type Call =
  | { do: 'ask'; question: Question }
  | { do: 'rows'; from: number; to: number }
  | { do: 'json' | 'chart' };

export function createAsking(port: MessagePort): Asking {
  const waiting = new Map<number, Waiting>();
  let numbers = 0;
  let ended: FixpointError | undefined;

  port.onmessage = ({ data }: MessageEvent<FromAnswers>) => {
    const { resolve, reject } = waiting.get(data.id) ?? {};
    waiting.delete(data.id);
    if ('failed' in data) reject?.(errorOf(data.failed));
    else resolve?.(data.value);
  };

  function call(answer: number, what: Call): Promise<unknown> {
    if (ended !== undefined) return Promise.reject(ended);
    return new Promise((resolve, reject) => {
      const id = ++numbers;
      waiting.set(id, { resolve, reject });
      port.postMessage({ ...what, id, answer } satisfies ToAnswers);
    });
  }

  return {
    ask: async (question, signal) => {
      signal.throwIfAborted();
      const answer = ++numbers;
      const drop = () => port.postMessage({ do: 'drop', answer } satisfies ToAnswers);
      let abort = drop;
      const aborted = new Promise<never>((_resolve, reject) => {
        abort = () => {
          drop();
          reject(signal.reason);
        };
      });
      signal.addEventListener('abort', abort);
      try {
        const found = (await Promise.race([call(answer, { do: 'ask', question }), aborted])) as Found;
        return {
          ...found,
          rowsOf: (from, to) => call(answer, { do: 'rows', from, to }) as Promise<readonly AnswerRow[]>,
          json: () => call(answer, { do: 'json' }) as Promise<string>,
          chart: () => call(answer, { do: 'chart' }) as Promise<ChartData>,
          drop,
        };
      } finally {
        // The worker keeps a complete answer until the page drops it, even if the signal aborts.
        signal.removeEventListener('abort', abort);
      }
    },
    lost: (reason) => {
      ended ??= new FixpointError('WORKER_LOST', reason);
      for (const { reject } of waiting.values()) reject(ended);
      waiting.clear();
    },
  };
}

/**
 * Returns the error of a question or a task. Keeps the message unchanged, because not every message
 * starts with the text of its code.
 */
export const errorOf = ({ code, message }: { code: ErrorCode | undefined; message: string }): Error =>
  code === undefined ? new Error(message) : Object.assign(new FixpointError(code), { message });
