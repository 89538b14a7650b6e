import type { FixpointError } from '@fixpoint/protocol';
import type { SyncState, SyncStatus } from './remote.ts';

interface StatusChange {
  readonly state?: SyncState;
  readonly toSend?: number;
  readonly toFetch?: number;
  readonly error?: FixpointError | undefined;
}

export interface StatusHolder {
  get(): SyncStatus;
  set(change: StatusChange): void;
  onChange(fn: (status: SyncStatus) => void): () => void;
  /** Resolves at the next change. */
  next(): Promise<void>;
}

export function createStatus(): StatusHolder {
  let current: SyncStatus = { state: 'connecting', toSend: 0, toFetch: 0 };
  const listeners = new Set<(status: SyncStatus) => void>();
  const onChange = (fn: (status: SyncStatus) => void) => {
    listeners.add(fn);
    return () => void listeners.delete(fn);
  };
  return {
    get: () => current,
    set: ({ error, ...change }) => {
      const { error: _, ...kept } = current;
      current = { ...kept, ...change, ...(error === undefined ? {} : { error }) };
      for (const listener of [...listeners]) listener(current);
    },
    onChange,
    next: () =>
      new Promise((resolve) => {
        const stop = onChange(() => {
          stop();
          resolve();
        });
      }),
  };
}
