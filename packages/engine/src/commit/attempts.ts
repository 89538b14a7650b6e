/**
 * Retries steps that fail when another writer moves the head first. Under contention, writers take
 * turns.
 */
import { FixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { Time } from '../ports/time.ts';
import { isGone } from './reads.ts';

/** Number of tries after which a write gives up because other writers were always faster. */
const ATTEMPTS_MAX = 50;
/** After this number of tries, writers take turns until CROWDED_MS have passed without a write. */
const FREE_ATTEMPTS_MAX = 2;
const CROWDED_MS = 1000;

export interface AttemptParts {
  readonly store: Pick<ByteStore, 'inTurn'>;
  readonly channel: Channel;
  readonly time: Time;
  /** Reads the stored state again. Returns whether another writer had changed it. */
  reload(): Promise<boolean>;
  /** @throws FixpointError DATABASE_CLOSED */
  requireOpen(): void;
}

export interface Attempts {
  /**
   * Runs `step` until it returns true. A step returns false when another writer was faster.
   * @throws FixpointError STORE_FAILED when other writers were always faster
   */
  attempts(step: () => Promise<boolean>): Promise<void>;
  /** Records that another writer is writing or waits to write. */
  crowded(): void;
}

export function createAttempts({ store, channel, time, reload, requireOpen }: AttemptParts): Attempts {
  let crowdedUntil = 0;
  const crowded = () => {
    crowdedUntil = time.now() + CROWDED_MS;
  };

  /** Returns whether one of `attemptsMax` tries finished before another writer moved the head. */
  async function tried(step: () => Promise<boolean>, attemptsMax: number): Promise<boolean> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      requireOpen();
      try {
        if (await step()) return true;
      } catch (cause) {
        // Another writer may have dropped the missing data after moving the head.
        if (isGone(cause) && (await reload())) continue;
        throw cause;
      }
      await reload();
    }
    return false;
  }

  return {
    crowded,
    attempts: async (step) => {
      const isCrowded = store.inTurn !== undefined && time.now() < crowdedUntil;
      if (!isCrowded && (await tried(step, store.inTurn ? FREE_ATTEMPTS_MAX : ATTEMPTS_MAX))) return;
      crowded();
      // Let the faster writer know that this one is waiting, so that both take turns.
      if (!isCrowded) channel.post();
      if (await store.inTurn?.(() => tried(step, ATTEMPTS_MAX))) return;
      throw new FixpointError('STORE_FAILED', 'other writers were always faster');
    },
  };
}
