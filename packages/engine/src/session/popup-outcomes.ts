import { FixpointError } from '@fixpoint/protocol';
import type { SessionMemory } from './session-memory.ts';

/**
 * Waits for sign-ins in other windows. The sign-in page cuts the window off from its opener, so the
 * window reports the outcome in the storage that all pages of the origin share.
 */
export interface PopupOutcomes {
  /** Resolves when the sign-in with this state has succeeded, and rejects when it has failed. */
  of(state: string): Promise<void>;
  /** Reads an outcome that another window stored. */
  settle(): void;
}

export function popupOutcomes(memory: Pick<SessionMemory, 'outcome'>): PopupOutcomes {
  const waiting = new Map<string, { resolve(): void; reject(cause: unknown): void }>();
  return {
    of: (state) =>
      new Promise((resolve, reject) => {
        waiting.set(state, { resolve, reject });
      }),
    settle: () => {
      const outcome = memory.outcome();
      const wait = outcome && waiting.get(outcome.state);
      if (outcome === undefined || wait === undefined) return;
      waiting.delete(outcome.state);
      if (outcome.error === undefined) wait.resolve();
      else wait.reject(new FixpointError(outcome.error === 'FORBIDDEN' ? 'FORBIDDEN' : 'NOT_SIGNED_IN'));
    },
  };
}
