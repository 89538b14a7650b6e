import type { FixpointError } from '@fixpoint/protocol';
import type { SyncState, SyncStatus } from './remote.ts';

interface Counts {
  readonly toSend: number;
  readonly toFetch: number;
  readonly rejected?: number | undefined;
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
  let waiting: (() => void)[] = [];

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
    show: (state, { toSend, toFetch, rejected = 0 }, error) => {
      const isSame =
        state === current.state &&
        toSend === current.toSend &&
        toFetch === current.toFetch &&
        rejected === (current.rejected ?? 0) &&
        error === current.error;
      if (!isSame) {
        current = { state, toSend, toFetch, ...(rejected > 0 && { rejected }), ...(error && { error }) };
        tell();
      }
      const woken = waiting;
      waiting = [];
      for (const wake of woken) wake();
    },
    onChange: (fn) => {
      const own = (status: SyncStatus) => fn(status);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  };
}
