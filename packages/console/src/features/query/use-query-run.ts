import type { Head } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, askAll, askFirst } from '../../local/ask.ts';
import { failureText } from '../../local/failure-text.ts';

export interface FinishedRun {
  readonly state: 'done';
  readonly answer: Answer;
  readonly tookMs: number;
  /** The head that the rows were read at, or an older one. */
  readonly head: Head;
}

export type QueryRun =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly message: string }
  | FinishedRun;

export interface QueryRunner {
  readonly run: QueryRun;
  /** All rows, in the order of their keys. */
  start(source: string): Promise<void>;
  /** The first rows, found without an index; what is shown stays until they are there. */
  preview(source: string): Promise<void>;
  cancel(): void;
}

/** Rows of a preview. */
export const PREVIEW_ROWS = 100;

/** Runs the text of map functions in the sandbox; of several runs the latest counts. @param then the head of a past state, which has no preview */
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
    async (signal: AbortSignal, asked: Promise<Answer>) => {
      const { head } = database;
      const began = performance.now();
      try {
        const answer = await asked;
        if (signal.aborted) answer.drop();
        else show({ state: 'done', answer, tookMs: performance.now() - began, head });
      } catch (error) {
        if (!signal.aborted) show({ state: 'failed', message: messageOf(error) });
      }
    },
    [database, show],
  );
  const start = useCallback(
    async (source: string) => {
      const signal = begin();
      show({ state: 'running' });
      await finish(signal, askAll(database, source, then, signal));
    },
    [database, then, begin, finish, show],
  );
  const preview = useCallback(
    async (source: string) => {
      const signal = begin();
      await finish(signal, askFirst(database, source, PREVIEW_ROWS, signal));
    },
    [database, begin, finish],
  );
  const cancel = useCallback(() => {
    begin();
    show({ state: 'none' });
  }, [begin, show]);
  return { run, start, preview, cancel };
}

/** Starts the sandbox and reads the first documents, so that the first run does not wait for them. What fails here fails again, and is told, when somebody runs a query. */
async function warmUp(database: BridgedDatabase, signal: AbortSignal): Promise<void> {
  for await (const _ of database.rows.map({ source: '(doc) => 0' }, { limit: 1, signal })) return;
}

/** The panel says that it is an error; what is left to say is which. */
const messageOf = (error: unknown): string => failureText(error).replace(/^map function failed: /, '');
