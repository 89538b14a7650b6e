/** Loads the rows of a query result that a table shows, in windows from the worker. */
import type { Answer, AnswerRow } from '../../local/ask.ts';

export interface AnswerRows {
  readonly count: number;
  rowAt(at: number): AnswerRow | undefined;
  /** Sets the rows in view, which are loaded with their neighbours. */
  show(from: number, to: number): void;
  subscribe(listener: () => void): () => void;
  /** Returns a new object whenever rows arrived or failed to load. */
  current(): { readonly error: unknown };
}

const CHUNK = 100;
const AHEAD = 60;
/** Number of chunks to keep; the oldest are dropped first. */
const KEPT = 200;

export function answerRows(answer: Pick<Answer, 'count' | 'rows' | 'rowsOf'>): AnswerRows {
  const listeners = new Set<() => void>();
  const chunks = new Map<number, readonly AnswerRow[]>();
  const asked = new Set<number>();
  let state: { readonly error: unknown } = { error: undefined };
  const { count, rows } = answer;
  for (let at = 0; at < rows.length; at += CHUNK)
    if (at + CHUNK <= rows.length || rows.length === count)
      chunks.set(at / CHUNK, rows.slice(at, at + CHUNK));

  const tell = (error?: unknown): void => {
    state = { error };
    for (const listener of [...listeners]) listener();
  };

  async function load(number: number): Promise<void> {
    asked.add(number);
    try {
      chunks.set(number, await answer.rowsOf(number * CHUNK, (number + 1) * CHUNK));
      for (const kept of chunks.keys()) {
        if (chunks.size <= KEPT) break;
        chunks.delete(kept);
      }
      tell();
    } catch (error) {
      tell(error);
    } finally {
      asked.delete(number);
    }
  }

  return {
    count,
    rowAt: (at) => chunks.get(Math.floor(at / CHUNK))?.[at % CHUNK],
    show: (from, to) => {
      const last = Math.min(count - 1, to + AHEAD);
      for (let number = Math.floor(Math.max(0, from - AHEAD) / CHUNK); number * CHUNK <= last; number += 1)
        if (!chunks.has(number) && !asked.has(number)) void load(number);
    },
    subscribe: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    current: () => state,
  };
}
