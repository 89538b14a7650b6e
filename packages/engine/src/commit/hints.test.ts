import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { createTurns } from '../base/turns.ts';
import { NO_KEYS } from '../crypto/keys.ts';
import { memoryStore } from '../platform/memory-store.ts';
import type { Archives } from '../store/archives.ts';
import { FileArchives } from '../store/file-archives.ts';
import { simulatedTime } from '../testing/simulated-time.ts';
import { createFiles } from './attached-files.ts';
import { createHead } from './current-head.ts';
import { followHints } from './hints.ts';
import { createFeed } from './news.ts';

/** Follows the hints of a database. `seen.reads` counts reads of the head; `hints` sends hints. */
function following({
  failure,
  settleFailure,
  news,
}: {
  failure?: FixpointError;
  settleFailure?: FixpointError;
  news?: () => number;
} = {}) {
  const seen = { reads: 0, crowded: 0, reports: [] as unknown[] };
  const hints = { channel: () => {}, store: () => {} };
  /** The number of reads at the time of each settling. */
  const settledAt: number[] = [];
  const state = { isClosed: false };
  const keys = { keys: () => NO_KEYS };
  const store = {
    ...memoryStore(new Map()),
    ...(news && { news }),
    readPrefix: async () => {
      seen.reads++;
      if (failure !== undefined) throw failure;
      return new Map<string, Uint8Array>();
    },
    watch: (fn: () => void) => {
      hints.store = fn;
      return () => {
        hints.store = () => {};
      };
    },
  };
  const channel = {
    post: () => undefined,
    onHint: (fn: () => void) => {
      hints.channel = fn;
      return () => {
        hints.channel = () => {};
      };
    },
    close: () => undefined,
  };
  const head = createHead({
    store,
    channel,
    archives: {
      readBlock: async () => new Uint8Array(),
      list: new Map(),
      refresh: async () => {},
    } as unknown as Archives,
    files: createFiles(store, new FileArchives(store, keys), simulatedTime()),
    feed: createFeed(() => undefined),
    rebuild: () => Promise.reject(new Error('rebuilt')),
    isWhole: async () => true,
  });
  const exclusive = createTurns();
  const stop = followHints({
    head,
    channel,
    exclusive,
    isClosed: () => state.isClosed,
    settle: async () => {
      settledAt.push(seen.reads);
      if (settleFailure !== undefined) throw settleFailure;
    },
    noticed: () => undefined,
    crowded: () => void seen.crowded++,
    report: (error) => void seen.reports.push(error),
  });
  /** Resolves after all queued work. */
  const settled = () => exclusive(async () => undefined);
  return { seen, hints, state, stop, settled, settledAt };
}

describe('hints of other writers', () => {
  test('reads the head once for all waiting hints', async () => {
    const { seen, hints, settled } = following();
    hints.channel();
    hints.channel();
    hints.store();
    await settled();
    expect(seen).toEqual({ reads: 1, crowded: 2, reports: [] });
    hints.channel();
    await settled();
    expect(seen.reads).toBe(2);
  });

  test('reads the head after a hint of the store only if changes of other writers were applied', async () => {
    const { seen, hints, settled } = following({ news: () => 7 });
    hints.store();
    await settled();
    hints.store();
    await settled();
    expect(seen.reads).toBe(1);
  });

  test('settles pending writes first, and reads the head of others even if that fails', async () => {
    const settleFailure = new FixpointError('STORE_FULL');
    const { seen, hints, settled, settledAt } = following({ settleFailure });
    for (let n = 1; n <= 2; n++) {
      hints.channel();
      await settled();
      expect(seen.reads).toBe(n);
    }
    expect(settledAt).toEqual([0, 1]);
    expect(seen.reports).toEqual([settleFailure, settleFailure]);
  });

  test('reports a failed read, unless the database was closed', async () => {
    const damaged = following({ failure: new FixpointError('CORRUPT') });
    damaged.hints.channel();
    await damaged.settled();
    expect(damaged.seen.reports).toMatchObject([{ code: 'CORRUPT' }]);
    const closed = following({ failure: new FixpointError('DATABASE_CLOSED') });
    closed.hints.channel();
    await closed.settled();
    expect(closed.seen.reports).toEqual([]);
  });

  test('ignores new and waiting hints when the database is closed, and new hints after `stop`', async () => {
    const { seen, hints, state, stop, settled } = following();
    hints.channel();
    state.isClosed = true;
    hints.channel();
    await settled();
    expect(seen.reads).toBe(0);
    state.isClosed = false;
    stop();
    hints.channel();
    hints.store();
    await settled();
    expect(seen.reads).toBe(0);
  });
});
