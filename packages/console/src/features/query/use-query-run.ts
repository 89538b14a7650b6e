import type { Head } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, askAll, askFirst, type Reduce, type RowSelection } from '../../local/ask.ts';
import { failureText } from '../../ui/text/failure-text.ts';

export interface FinishedRun {
  readonly state: 'done';
  readonly answer: Answer;
  readonly tookMs: number;
  /** The head at which the rows were read, or an older head. */
  readonly head: Head;
  readonly reduce?: Reduce | undefined;
}

/** Which rows a query returns, and how they are grouped. */
interface RunOptions {
  readonly select?: RowSelection;
  readonly reduce?: Reduce | undefined;
}

export type QueryRun =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly message: string; readonly source: string }
  | FinishedRun;

export interface QueryRunner {
  readonly run: QueryRun;
  /** Runs the query for all rows, in key order. */
  start(source: string, options?: RunOptions): Promise<void>;
  /**
   * Runs the query for the first rows, without an index. The previous result stays until these rows
   * arrive.
   */
  preview(source: string): Promise<void>;
  cancel(): void;
}

/** Number of rows in a preview. */
export const PREVIEW_ROWS = 100;

/**
 * Runs map functions in the sandbox, and keeps only the result of the latest run.
 * @param then the head of a past version, which has no preview
 */
export function useQueryRun(database: BridgedDatabase, then: readonly string[] | undefined): QueryRunner {
  const [run, setRun] = useState<QueryRun>({ state: 'none' });
  const latest = useRef(new AbortController());
  const shown = useRef<Answer>(undefined);
  const show = useCallback((next: QueryRun) => {
    shown.current?.drop();
    shown.current = next.state === 'done' ? next.answer : undefined;
    setRun(next);
  }, []);
  useEffect(
    () => () => {
      latest.current.abort();
      shown.current?.drop();
    },
    [],
  );
  useEffect(() => {
    const ending = new AbortController();
    warmUp(database, ending.signal).catch(() => undefined);
    return () => ending.abort();
  }, [database]);

  const begin = useCallback(() => {
    latest.current.abort();
    latest.current = new AbortController();
    return latest.current.signal;
  }, []);
  const finish = useCallback(
    async (signal: AbortSignal, source: string, ask: () => Promise<Answer>, reduce?: Reduce) => {
      try {
        // Read the head first, so that it isn't newer than the rows.
        const head = await database.head();
        if (signal.aborted) return;
        const began = performance.now();
        const answer = await ask();
        if (signal.aborted) answer.drop();
        else show({ state: 'done', answer, tookMs: performance.now() - began, head, reduce });
      } catch (error) {
        if (!signal.aborted) show({ state: 'failed', message: messageOf(error), source });
      }
    },
    [database, show],
  );
  const start = useCallback(
    async (source: string, options: RunOptions = {}) => {
      const signal = begin();
      show({ state: 'running' });
      const ask = () => askAll(database, source, then, signal, options);
      await finish(signal, source, ask, options.reduce);
    },
    [database, then, begin, finish, show],
  );
  const preview = useCallback(
    async (source: string) => {
      const signal = begin();
      await finish(signal, source, () => askFirst(database, source, PREVIEW_ROWS, signal));
    },
    [database, begin, finish],
  );
  const cancel = useCallback(() => {
    begin();
    show({ state: 'none' });
  }, [begin, show]);
  return { run, start, preview, cancel };
}

/**
 * Starts the sandbox and reads the first documents, so that the first run needn't wait. Errors are
 * ignored here; they recur and are reported when a query runs.
 */
async function warmUp(database: BridgedDatabase, signal: AbortSignal): Promise<void> {
  for await (const _ of database.rows.map({ source: '(doc) => 0' }, { limit: 1, signal })) return;
}

/** Returns only the reason, because the panel already says that the run failed. */
const messageOf = (error: unknown): string => failureText(error).replace(/^map function failed: /, '');
