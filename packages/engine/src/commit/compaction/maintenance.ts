/**
 * Decides when to compact: after commits, when nobody writes, or on request. The code of the
 * compaction loads on first use.
 */
import { LIMITS } from '@fixpoint/protocol';
import { createLazy } from '../../base/lazy.ts';
import type { OpeningLimits } from '../../ports/opening-limits.ts';
import type { writeFirstBlocks } from '../opening/first-blocks.ts';
import { createOpeningRows } from '../opening/opening-rows.ts';
import type { Compaction, CompactionParts } from './compactor.ts';
import { watchForIdleness } from './idle-watch.ts';

/**
 * Returns whether a full compaction is worth its time: whether the database grew by half since its
 * last full compaction.
 */
export const isWorthCompacting = (bytes: number, bytesLeft: number): boolean =>
  bytes > 1.5 * bytesLeft + LIMITS.archiveBytesThreshold / 2;

/**
 * If a database was smaller than this after its last compaction, the next compaction is quick and
 * doesn't wait for writers to pause.
 */
const SMALL_LEFT_BYTES = 2 * LIMITS.archiveBytesThreshold;

/**
 * Returns whether compaction can't wait for writers to pause. A big database may first grow to
 * about four times the size that it had after its last compaction.
 */
export const isCompactingOverdue = (bytes: number, bytesLeft: number): boolean =>
  isWorthCompacting(bytes - 2.5 * Math.max(0, bytesLeft - SMALL_LEFT_BYTES), bytesLeft);

export interface MaintenanceParts extends CompactionParts {
  /** Default {@link OPENING_LIMITS}. */
  readonly openingLimits?: OpeningLimits | undefined;
  load(): Promise<{
    createCompaction(parts: CompactionParts): Compaction;
    readonly writeFirstBlocks: typeof writeFirstBlocks;
  }>;
  readonly report: (error: unknown) => void;
}

export interface Maintenance {
  /**
   * Merges small archives if there are too many. If a compaction is worth its time, compacts when
   * nobody writes, or while others write if the compaction is overdue. Call this after each commit.
   */
  committed(): void;
  /**
   * Compacts like {@link committed}, but even an overdue compaction waits a few seconds for a pause
   * of the sync. Call this after data was received or sent.
   */
  synced(): void;
  /** Drops unneeded data and merges small archives, concurrently with readers and writers. */
  compact(): Promise<void>;
  isSweeping(): boolean;
  /** Stores the rows that make the next open quick. Never rejects. */
  saveAtClose(): Promise<void>;
  stop(): void;
}

export function createMaintenance(parts: MaintenanceParts): Maintenance {
  const { head, time, report } = parts;
  const { archives } = head;
  const { load } = createLazy(async () => (await parts.load()).createCompaction(parts));
  const running = { merge: 0, sweep: 0 };
  const rows = createOpeningRows(parts);
  const run = async (what: keyof typeof running) => {
    running[what]++;
    try {
      await archives.readIndexes();
      await (await load())[what]();
    } finally {
      running[what]--;
    }
  };

  const compact = async () => {
    if (head.snapshot.head.length === 0) return;
    await run('sweep');
    await (await load()).collectFiles();
    await rows.save();
  };

  const idle = watchForIdleness(time, {
    isWorthwhile: () => isWorthCompacting(archives.bytes, head.record.bytes),
    isOverdue: () => isCompactingOverdue(archives.bytes, head.record.bytes),
    do: () => compact().catch(report),
  });

  return {
    committed: () => {
      if (archives.tiers.isFull() && running.merge === 0) void run('merge').catch(report);
      idle.stirred('write');
      rows.stirred('write');
    },
    synced: () => {
      idle.stirred('sync');
      rows.stirred('sync');
    },
    compact,
    isSweeping: () => running.sweep > 0,
    saveAtClose: rows.saveAtClose,
    stop: () => {
      idle.stop();
      rows.stop();
    },
  };
}
