import type { FixpointError } from '@fixpoint/protocol';
import type { SyncState, SyncStatus } from './remote.ts';

interface Counts {
  readonly toSend: number;
  readonly toFetch: number;
  readonly rejected?: number | undefined;
  readonly keys?: number | undefined;
}

export interface StatusHolder {
  get(): SyncStatus;
  show(state: SyncState, counts: Counts, error: FixpointError | undefined): void;
  /** Calls `fn` when the status changes. Returns a function that unsubscribes. */
  onChange(fn: (status: SyncStatus) => void): () => void;
  /** Resolves at the next call of `show`, even if the status doesn't change. */
  next(): Promise<void>;
}

export function createStatus(report: (error: unknown) => void): StatusHolder {
  let current: SyncStatus = { state: 'connecting', toSend: 0, toFetch: 0 };
  const listeners = new Set<(status: SyncStatus) => void>();
  const waiting: (() => void)[] = [];
  /** The current status without the error, to compare. */
  let shown = 'connecting,0,0,0,0';

  function tell(): void {
    for (const listener of [...listeners]) {
      try {
        listener(current);
      } catch (cause) {
        report(cause);
      }
    }
  }

  return {
    get: () => current,
    show: (state, { toSend, toFetch, rejected = 0, keys = 0 }, error) => {
      const text = [state, toSend, toFetch, rejected, keys].join();
      if (text !== shown || error !== current.error) {
        shown = text;
        current = {
          state,
          toSend,
          toFetch,
          ...(rejected > 0 && { rejected }),
          ...(keys > 0 && { keys }),
          ...(error && { error }),
        };
        tell();
      }
      for (const wake of waiting.splice(0)) wake();
    },
    onChange: (fn) => {
      const own = (status: SyncStatus) => fn(status);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
