/** The end of the answers in the page: questions go to the worker, where the rows stay. */
import { ERROR_TEXT, FixpointError } from '@fixpoint/protocol';
import type { AnswerRow, Found, FromAnswers, Question, ToAnswers } from './answers.ts';

export interface Answer extends Found {
  /** Rows from a place on, and before another. @throws FixpointError WORKER_LOST */
  rowsOf(from: number, to: number): Promise<readonly AnswerRow[]>;
  /** All rows, as JSON. @throws FixpointError WORKER_LOST */
  json(): Promise<string>;
  /** It is read no more. */
  drop(): void;
}

export interface Asking {
  /** @throws FixpointError MAP_FAILED, WORKER_LOST; the reason of the signal */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
  /** The worker is no more: what waits, and all later questions, reject. */
  lost(reason: string): void;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(cause: unknown): void;
}

type Call = { do: 'ask'; question: Question } | { do: 'rows'; from: number; to: number } | { do: 'json' };

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
          drop,
        };
      } finally {
        // Once it is found it is kept until it is dropped, whatever becomes of the signal.
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

/** What is no error of Fixpoint keeps its message alone. */
function errorOf({ code, message }: Extract<FromAnswers, { failed: unknown }>['failed']): Error {
  if (code === undefined) return new Error(message);
  return new FixpointError(code, message.slice(ERROR_TEXT[code].length + 2));
}
