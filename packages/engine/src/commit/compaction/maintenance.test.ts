import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { createTurns } from '../../base/turns.ts';
import type { Cid } from '../../codec/cid.ts';
import type { FileArchives } from '../../store/file-archives.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import type { CurrentHead } from '../current-head.ts';
import type { Compaction } from './compactor.ts';
import { createMaintenance, isCompactingOverdue, isWorthCompacting } from './maintenance.ts';

const MB = LIMITS.archiveBytesThreshold;

/**
 * Creates the maintenance of a database of this size, with a compaction that only records calls.
 */
function maintained({ bytes = 0, isFull = false, documents = true, offline = 0 } = {}) {
  const time = simulatedTime();
  const done: string[] = [];
  const reports: unknown[] = [];
  const loads = { left: offline, made: 0 };
  const note = (what: string) => async () => void done.push(what);
  const compaction: Compaction = {
    merge: note('merge'),
    sweep: note('sweep'),
    collectFiles: note('files'),
  };
  const maintenance = createMaintenance({
    head: {
      archives: {
        bytes,
        tiers: { isFull: () => isFull },
        readIndexes: async () => undefined,
        saveParts: async () => undefined,
        lacksParts: false,
        onDamagedParts: () => undefined,
      },
      record: { bytes: 0 },
      snapshot: { head: documents ? ['event' as Cid] : [] },
    } as unknown as CurrentHead,
    fileArchives: {} as FileArchives,
    time,
    held: () => [],
    exclusive: createTurns(),
    requireOpen: () => undefined,
    load: async () => {
      if (loads.left-- > 0) throw new Error('offline');
      loads.made++;
      return { createCompaction: () => compaction, writeFirstBlocks: note('first') };
    },
    report: (cause) => void reports.push(cause),
  });
  return { maintenance, time, done, reports, loads };
}

describe('maintenance', () => {
  test('compacts after growth by half; does not wait for writers if the database was small or grew to four times its size', () => {
    expect([isWorthCompacting(2 * MB, MB), isWorthCompacting(2 * MB + 1, MB)]).toEqual([false, true]);
    expect([isCompactingOverdue(2 * MB, MB), isCompactingOverdue(2 * MB + 1, MB)]).toEqual([false, true]);
    expect([isWorthCompacting(16 * MB, 10 * MB), isCompactingOverdue(16 * MB, 10 * MB)]).toEqual([
      true,
      false,
    ]);
    expect([isCompactingOverdue(35.5 * MB, 10 * MB), isCompactingOverdue(35.6 * MB, 10 * MB)]).toEqual([
      false,
      true,
    ]);
  });

  test('loads the code again after a failed load, but not after a successful one', async () => {
    const { maintenance, done, loads } = maintained({ offline: 1 });
    await expect(maintenance.compact()).rejects.toThrow('offline');
    expect(maintenance.isSweeping()).toBe(false);
    await maintenance.compact();
    await maintenance.compact();
    expect(loads.made).toBe(1);
    expect(done).toEqual(['sweep', 'files', 'sweep', 'files']);
  });

  test('reports a sweep while it runs', async () => {
    const { maintenance } = maintained();
    const compacted = maintenance.compact();
    expect(maintenance.isSweeping()).toBe(true);
    await compacted;
    expect(maintenance.isSweeping()).toBe(false);
  });

  test('does nothing to an empty database', async () => {
    const { maintenance, done, loads } = maintained({ documents: false });
    await maintenance.compact();
    expect([done, loads.made]).toEqual([[], 0]);
  });

  test('merges after a commit when there are too many small archives, one merge at a time', async () => {
    const { maintenance, time, done } = maintained({ isFull: true });
    maintenance.committed();
    maintenance.committed();
    await time.pass(0);
    expect(done).toEqual(['merge']);
    maintenance.committed();
    await time.pass(0);
    expect(done).toEqual(['merge', 'merge']);
  });

  test('merges no archives after a merge from a remote or when there are few archives', async () => {
    const full = maintained({ isFull: true });
    full.maintenance.synced();
    const few = maintained();
    few.maintenance.committed();
    await Promise.all([full.time.pass(10_000), few.time.pass(10_000)]);
    expect([full.done, few.done]).toEqual([[], []]);
  });

  test('compacts when nobody writes, unless maintenance was stopped', async () => {
    const { maintenance, time, done } = maintained({ bytes: MB });
    maintenance.synced();
    await time.pass(10_000);
    expect(done).toEqual(['sweep', 'files', 'first']);
    const stopped = maintained({ bytes: MB });
    stopped.maintenance.synced();
    stopped.maintenance.stop();
    await stopped.time.pass(10_000);
    expect(stopped.done).toEqual([]);
  });

  test('[R4] reports a merge that fails in the background', async () => {
    const { maintenance, time, reports } = maintained({ isFull: true, offline: 1 });
    maintenance.committed();
    await time.pass(0);
    expect(reports).toHaveLength(1);
  });
});
