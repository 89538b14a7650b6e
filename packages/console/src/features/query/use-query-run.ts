import type { Head, QueryRow } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback, useEffect, useRef, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';
import { costedQuery, previewOf, type QueryCost } from '../../local/query-cost.ts';

export interface NumberedRow extends QueryRow {
  readonly at: number;
}

export interface FinishedRun {
  readonly state: 'done';
  readonly rows: readonly NumberedRow[];
  readonly tookMs: number;
  /** The head that the rows were read at, or an older one. */
  readonly head: Head;
  /** Absent of the first rows alone, which are shown in the order of documents while the text is being typed. */
  readonly cost: QueryCost | undefined;
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

interface Found {
  readonly rows: readonly QueryRow[];
  readonly cost?: QueryCost;
}

/** Runs the text of map functions in the sandbox; of several runs the latest counts. @param then the head of a past state, which has no preview */
export function useQueryRun(database: BridgedDatabase, then: readonly string[] | undefined): QueryRunner {
  const [run, setRun] = useState<QueryRun>({ state: 'none' });
  const latest = useRef(new AbortController());
  useEffect(() => () => latest.current.abort(), []);
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
    async (signal: AbortSignal, read: () => Promise<Found>) => {
      const { head } = database;
      const began = performance.now();
      try {
        const { rows, cost } = await read();
        if (signal.aborted) return;
        const numbered = rows.map((row, at) => ({ ...row, at }));
        setRun({ state: 'done', rows: numbered, tookMs: performance.now() - began, head, cost });
      } catch (error) {
        if (!signal.aborted) setRun({ state: 'failed', message: messageOf(error) });
      }
    },
    [database],
  );
  const start = useCallback(
    async (source: string) => {
      const signal = begin();
      setRun({ state: 'running' });
      await finish(signal, async () => {
        const view = then === undefined ? database : database.at(then);
        const { rows, ...cost } = await costedQuery(view, source);
        return { rows, cost };
      });
    },
    [database, then, begin, finish],
  );
  const preview = useCallback(
    async (source: string) => {
      const signal = begin();
      await finish(signal, async () => {
        const rows: QueryRow[] = [];
        const options = { limit: PREVIEW_ROWS, signal };
        for await (const part of database.rows.map(previewOf(source), options)) rows.push(...part);
        return { rows };
      });
    },
    [database, begin, finish],
  );
  const cancel = useCallback(() => {
    begin();
    setRun({ state: 'none' });
  }, [begin]);
  return { run, start, preview, cancel };
}

/** Starts the sandbox and reads the first documents, so that the first run does not wait for them. What fails here fails again, and is told, when somebody runs a query. */
async function warmUp(database: BridgedDatabase, signal: AbortSignal): Promise<void> {
  for await (const _ of database.rows.map({ source: '(doc) => 0' }, { limit: 1, signal })) return;
}

/** The panel says that it is an error; what is left to say is which. */
const messageOf = (error: unknown): string => failureText(error).replace(/^map function failed: /, '');
