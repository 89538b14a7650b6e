import type { Database, Head, QueryRow } from 'fixpoint';
import { useEffect, useRef, useState } from 'react';
import { failureText } from '../../local/failure-text.ts';

export interface NumberedRow extends QueryRow {
  readonly at: number;
}

export interface FinishedRun {
  readonly state: 'done';
  readonly rows: readonly NumberedRow[];
  readonly tookMs: number;
  /** The head that the rows were read at, or an older one. */
  readonly head: Head;
}

export type QueryRun =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | { readonly state: 'failed'; readonly message: string }
  | FinishedRun;

/** Runs the text of map functions in the sandbox; of several runs the latest counts. */
export function useQueryRun(database: Database): {
  readonly run: QueryRun;
  start(source: string): Promise<void>;
} {
  const [run, setRun] = useState<QueryRun>({ state: 'none' });
  const latest = useRef(0);
  useEffect(
    () => () => {
      latest.current += 1;
    },
    [],
  );
  const start = async (source: string) => {
    latest.current += 1;
    const own = latest.current;
    const show = (next: QueryRun) => own === latest.current && setRun(next);
    show({ state: 'running' });
    const { head } = database;
    const began = performance.now();
    try {
      const { rows } = await database.query({ source }, { includeDocs: false });
      const numbered = rows.map((row, at) => ({ ...row, at }));
      show({ state: 'done', rows: numbered, tookMs: performance.now() - began, head });
    } catch (error) {
      show({ state: 'failed', message: messageOf(error) });
    }
  };
  return { run, start };
}

/** The panel says that it is an error; what is left to say is which. */
const messageOf = (error: unknown): string => failureText(error).replace(/^map function failed: /, '');
