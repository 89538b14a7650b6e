/** Reads that continue while others write and compact. */
import { isGone } from './gone.ts';
import type { Hold } from './holds.ts';
import type { Snapshot } from './snapshot.ts';

/** Maximum tries of a read when others moved the head and dropped what it was reading. */
const ATTEMPTS_MAX = 10;

export interface SteadyReads {
  /**
   * Reads the current snapshot. This tab or process keeps what the read needs. If another one
   * dropped it, the read restarts from the head that the other one moved to.
   */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Streams from the current snapshot. This process keeps what it needs until it ends, is stopped
   * or is garbage-collected. It doesn't restart.
   */
  stream<T>(work: (snapshot: Snapshot) => AsyncGenerator<T, void>): AsyncGenerator<T, void>;
}

export interface SteadyReadsParts {
  hold(): Hold;
  snapshot(): Snapshot;
  /** Reads the stored state again. */
  refresh(): Promise<unknown>;
}

export function createSteadyReads({ hold, snapshot, refresh }: SteadyReadsParts): SteadyReads {
  const forgotten = new FinalizationRegistry<() => void>((release) => release());

  async function read<T>(work: (snapshot: Snapshot) => Promise<T>, attemptsLeft = ATTEMPTS_MAX): Promise<T> {
    const held = hold();
    try {
      return await work(held.snapshot);
    } catch (cause) {
      if (attemptsLeft === 1 || !(await isOvertaken(held.snapshot, cause))) throw cause;
    } finally {
      held.release();
    }
    return read(work, attemptsLeft - 1);
  }

  /** Returns whether a newer snapshot replaced the one with the missing block. */
  async function isOvertaken(before: Snapshot, cause: unknown): Promise<boolean> {
    if (!isGone(cause)) return false;
    if (snapshot() === before) await refresh();
    return snapshot() !== before;
  }

  return {
    read: (work) => read(work),
    stream: (work) => {
      const held = hold();
      const steps = released(work(held.snapshot), held.release);
      forgotten.register(steps, held.release);
      return steps;
    },
  };
}

async function* released<T>(steps: AsyncGenerator<T, void>, release: () => void): AsyncGenerator<T, void> {
  try {
    yield* steps;
  } finally {
    release();
  }
}
