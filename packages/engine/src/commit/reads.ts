/**
 * Reads that continue while other writers write and compact. A slow reader holds its snapshot. A
 * read restarts if another process dropped blocks that the read needs.
 */
import { isFixpointError } from '@fixpoint/protocol';
import type { Snapshot } from './snapshot.ts';

/** Returns whether an error means that a block or archive is no longer stored. */
export const isGone = (cause: unknown): boolean =>
  isFixpointError(cause, 'MISSING_BLOCK') || isFixpointError(cause, 'MISSING_CARS');

/** Returns whether an error means that stored data, or its key, is missing or damaged. */
export const isUnreadable = (cause: unknown): boolean =>
  isGone(cause) || isFixpointError(cause, 'CORRUPT') || isFixpointError(cause, 'KEY_UNKNOWN');

export interface Hold {
  readonly snapshot: Snapshot;
  /** Releases the snapshot. Call this once, when the reader is done or gave up. */
  release(): void;
}

/** The snapshots of slow readers, which compaction must keep. */
export interface Holds {
  take(snapshot: Snapshot): Hold;
  list(): readonly Snapshot[];
}

export function createHolds(): Holds {
  const holds = new Set<Hold>();
  return {
    take: (snapshot) => {
      const hold: Hold = { snapshot, release: () => void holds.delete(hold) };
      holds.add(hold);
      return hold;
    },
    list: () => [...new Set([...holds].map(({ snapshot }) => snapshot))],
  };
}

/** Maximum number of tries of a read whose blocks other writers keep dropping. */
const ATTEMPTS_MAX = 10;

export interface SteadyReads {
  /**
   * Reads the current snapshot. Compaction in this tab or process keeps all blocks that the read
   * needs. If another tab or process dropped some of them, the read restarts from the newest head.
   */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Like {@link read}, for work that reads only the trie of the snapshot, not its history. Also
   * works while a full disk prevents the commit of pending writes.
   */
  readTrie<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Streams from the current snapshot. This process keeps all blocks that the stream needs until
   * the stream finishes, is stopped or is garbage-collected. A stream never restarts.
   */
  stream<T>(work: (snapshot: Snapshot) => AsyncGenerator<T, void>): AsyncGenerator<T, void>;
}

export interface SteadyReadsParts {
  hold(): Hold;
  snapshot(): Snapshot;
  /** Reads the stored state again. */
  refresh(): Promise<unknown>;
  /** Resolves when the snapshot contains all acknowledged writes. */
  settle(): Promise<void>;
  /** Returns a snapshot with pending writes that can't be committed. */
  preview(): Promise<Snapshot>;
}

export function createSteadyReads(parts: SteadyReadsParts): SteadyReads {
  const { hold, snapshot, refresh, settle, preview } = parts;
  const forgotten = new FinalizationRegistry<() => void>((release) => release());

  async function read<T>(work: (snapshot: Snapshot) => Promise<T>, attemptsLeft = ATTEMPTS_MAX): Promise<T> {
    await settle();
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
    readTrie: async (work) => {
      const full = await settle().then(
        () => undefined,
        (cause: unknown) => cause,
      );
      if (full === undefined) return read(work);
      if (!isFixpointError(full, 'STORE_FULL')) throw full;
      return work(await preview());
    },
    stream: (work) => {
      const place: { held?: Hold } = {};
      const steps = streamed(work);
      forgotten.register(steps, () => place.held?.release());
      return steps;

      async function* streamed<T>(
        start: (snapshot: Snapshot) => AsyncGenerator<T, void>,
      ): AsyncGenerator<T, void> {
        await settle();
        const held = hold();
        place.held = held;
        try {
          yield* start(held.snapshot);
        } finally {
          held.release();
        }
      }
    },
  };
}
