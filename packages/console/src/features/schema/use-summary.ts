import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCallback, useEffect, useState } from 'react';
import { type Summary, summarizeFields } from '../../local/ask.ts';

interface SummaryState {
  readonly state: 'running' | 'cancelled' | 'done' | 'failed';
  readonly summary: Summary | undefined;
  readonly tookMs: number | undefined;
  readonly error: unknown;
  /** Whether documents changed since they were read. */
  readonly isOld: boolean;
}

const BEGUN: SummaryState = {
  state: 'running',
  summary: undefined,
  tookMs: undefined,
  error: undefined,
  isOld: false,
};

export interface SummaryRun extends SummaryState {
  cancel(): void;
  /** Reads all documents again. */
  again(): void;
}

/** Summarizes the fields of all documents, step by step. */
export function useSummary(database: BridgedDatabase): SummaryRun {
  const [state, setState] = useState(BEGUN);
  const [run, setRun] = useState(0);
  const [ending, setEnding] = useState<AbortController | undefined>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` counts the requests to read again
  useEffect(() => {
    const own = new AbortController();
    const began = performance.now();
    const change = (part: Partial<SummaryState>) => {
      if (!own.signal.aborted) setState((now) => ({ ...now, ...part }));
    };
    setEnding(own);
    setState((now) => ({ ...BEGUN, summary: now.summary }));
    summarizeFields(database, (summary) => change({ summary }), own.signal).then(
      () => change({ state: 'done', tookMs: performance.now() - began }),
      (error: unknown) => change({ state: 'failed', error }),
    );
    const stop = database.subscribe(() => change({ isOld: true }));
    return () => {
      own.abort();
      stop();
    };
  }, [database, run]);
  const cancel = useCallback(() => {
    ending?.abort();
    setState((now) => ({ ...now, state: 'cancelled' }));
  }, [ending]);
  const again = useCallback(() => setRun((count) => count + 1), []);
  return { ...state, cancel, again };
}
