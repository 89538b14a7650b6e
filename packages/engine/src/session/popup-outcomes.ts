import { FixpointError } from '@fixpoint/protocol';
import type { SessionMemory } from './session-memory.ts';

const WINDOW_TEXT = {
  blocked: 'the browser blocked the window: call signIn in a click handler, or without popup',
  closed: 'the person closed the window: offer the sign-in again',
  replaced: 'a later call of signIn replaced this one',
  expired: 'nobody finished the sign-in within an hour: offer it again',
} as const;

/**
 * A sign-in in another window failed because of the window. Its code is FORBIDDEN if the browser
 * blocked the window, otherwise NOT_SIGNED_IN.
 */
export class SignInWindowError extends FixpointError {
  readonly reason: keyof typeof WINDOW_TEXT;

  constructor(reason: keyof typeof WINDOW_TEXT) {
    super(reason === 'blocked' ? 'FORBIDDEN' : 'NOT_SIGNED_IN', WINDOW_TEXT[reason]);
    this.reason = reason;
  }
}

/**
 * Waits for sign-ins in other windows. The sign-in page cuts the window off from its opener, so the
 * window reports the outcome in the storage that all pages of the origin share. For the same
 * reason, nobody can know whether the person closed the window.
 */
export interface PopupOutcomes {
  /** Resolves when the sign-in with this state has succeeded, and rejects when it has failed. */
  of(state: string): Promise<void>;
  /** Reads an outcome that another window stored. */
  settle(): void;
  /** Rejects the waiting sign-in with this state; without a state, all of them. */
  giveUp(reason: SignInWindowError['reason'], state?: string): void;
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
    giveUp: (reason, state) => {
      for (const [own, { reject }] of [...waiting])
        if ((state ?? own) === own) {
          waiting.delete(own);
          reject(new SignInWindowError(reason));
        }
    },
  };
}
