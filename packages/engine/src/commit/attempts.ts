/** Steps that hold only if no other writer moved the head meanwhile: tried again, and where many write at once, one after another. */
import { FixpointError } from '@fixpoint/protocol';
import type { ByteStore } from '../ports/byte-store.ts';
import type { Channel } from '../ports/channel.ts';
import type { Time } from '../ports/time.ts';
import { isGone } from './gone.ts';

/** Tries against other writers of the same database before a write gives up. */
const ATTEMPTS_MAX = 50;
/** Tries before writers take turns, and how long they do. */
const FREE_ATTEMPTS_MAX = 2;
const CROWDED_MS = 1000;

export interface AttemptParts {
  readonly store: Pick<ByteStore, 'inTurn'>;
  readonly channel: Channel;
  readonly time: Time;
  /** Reads what is stored again. Gives whether another writer had changed it. */
  reload(): Promise<boolean>;
  /** @throws FixpointError DATABASE_CLOSED */
  requireOpen(): void;
}

export interface Attempts {
  /** @param step gives false when another writer was faster. @throws FixpointError STORE_FAILED when others always were */
  attempts(step: () => Promise<boolean>): Promise<void>;
  /** To be called when another one writes, or waits to write. */
  crowded(): void;
}

export function createAttempts({ store, channel, time, reload, requireOpen }: AttemptParts): Attempts {
  let crowdedUntil = 0;
  const crowded = () => {
    crowdedUntil = time.now() + CROWDED_MS;
  };

  /** Gives whether one of so many tries was done before another writer moved the head. */
  async function tried(step: () => Promise<boolean>, attemptsMax: number): Promise<boolean> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      requireOpen();
      try {
        if (await step()) return true;
      } catch (cause) {
        // What is missing may have been dropped by another writer, who moved on.
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
      // Who was faster hears that somebody waits.
      if (!isCrowded) channel.post();
      if (await store.inTurn?.(() => tried(step, ATTEMPTS_MAX))) return;
      throw new FixpointError('STORE_FAILED', 'others were faster');
    },
  };
}
