import type { FixpointError } from '@fixpoint/protocol';
import type { MovedTo } from '@fixpoint/protocol/storage';
import type { SyncState, SyncStatus } from './remote.ts';

interface Counts {
  readonly toSend: number;
  readonly toFetch: number;
  /** Undefined instead of 0. */
  readonly rejected?: number | undefined;
  /** Undefined instead of 0. */
  readonly keys?: number | undefined;
  readonly movedTo?: MovedTo | undefined;
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
  let shown = JSON.stringify(current);

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
    show: (state, counts, error) => {
      // Leaves out what is undefined.
      const text = JSON.stringify({ state, ...counts });
      if (text !== shown || error !== current.error) {
        shown = text;
        const next = JSON.parse(text) as SyncStatus;
        current = error ? { ...next, error } : next;
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
