import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { createHolds, createSteadyReads } from './reads.ts';
import type { Snapshot } from './snapshot.ts';

const gone = new FixpointError('MISSING_BLOCK', 'dropped');

/** Creates reads of a snapshot that a newer snapshot may replace. */
function reader(refresh: (next: () => void) => void = () => undefined) {
  const holds = createHolds();
  const made = (): Snapshot => ({ head: [], root: undefined, merged: [] });
  const state = { failure: undefined as FixpointError | undefined, preview: made() };
  let current = made();
  let refreshes = 0;
  let settles = 0;
  const next = () => {
    current = made();
  };
  const reads = createSteadyReads({
    hold: () => holds.take(current),
    snapshot: () => current,
    settle: async () => {
      settles++;
      if (state.failure !== undefined) throw state.failure;
    },
    preview: async () => state.preview,
    refresh: async () => {
      refreshes++;
      refresh(next);
    },
  });
  return {
    ...reads,
    state,
    next,
    held: () => holds.list().length,
    refreshes: () => refreshes,
    settles: () => settles,
    current: () => current,
  };
}

describe('a read on a disk that is too full to commit pending writes', () => {
  const full = new FixpointError('STORE_FULL', 'ENOSPC');

  test('[R10] reads a trie with the pending writes from memory', async () => {
    const { readTrie, state, current } = reader();
    expect(await readTrie(async (at) => at === current())).toBe(true);
    state.failure = full;
    expect(await readTrie(async (at) => at === state.preview)).toBe(true);
  });

  test('rejects a read of the history, and a read of a trie after any other failure', async () => {
    const { read, readTrie, state } = reader();
    state.failure = full;
    await expect(read(async () => 'read')).rejects.toBe(full);
    state.failure = new FixpointError('STORE_FAILED', 'EIO');
    await expect(readTrie(async () => 'read')).rejects.toBe(state.failure);
  });
});

describe('a read while other writers compact', () => {
  test('[R8] restarts when a block is gone and there is a newer snapshot', async () => {
    const { read, next, held, refreshes, current } = reader();
    let tries = 0;
    const seen = await read(async (snapshot) => {
      if (++tries === 1) {
        next();
        throw gone;
      }
      return snapshot;
    });
    expect([tries, refreshes(), held(), seen === current()]).toEqual([2, 0, 0, true]);
  });

  test('[R8] looks for a newer snapshot, and fails when there is none', async () => {
    const moved = reader((next) => next());
    let tries = 0;
    await moved.read(async () => {
      if (++tries === 1) throw gone;
    });
    expect([tries, moved.refreshes()]).toEqual([2, 1]);
    const still = reader();
    await expect(still.read(() => Promise.reject(gone))).rejects.toBe(gone);
    expect([still.refreshes(), still.held()]).toEqual([1, 0]);
  });

  test('gives up after ten tries if other writers are always faster, and at once on any other failure', async () => {
    const { read, held } = reader((next) => next());
    let tries = 0;
    const overtaken = async () => {
      tries++;
      throw gone;
    };
    await expect(read(overtaken)).rejects.toBe(gone);
    expect([tries, held()]).toEqual([10, 0]);
    const corrupt = new FixpointError('CORRUPT');
    tries = 0;
    await expect(read(async () => Promise.reject(++tries && corrupt))).rejects.toBe(corrupt);
    expect(tries).toBe(1);
  });

  test('settles pending writes before it takes the snapshot of a read or a stream', async () => {
    const { read, stream, settles } = reader();
    expect(await read(async () => settles())).toBe(1);
    async function* counted() {
      yield settles();
    }
    expect(await stream(counted).next()).toMatchObject({ value: 2 });
  });

  test('[R8] holds the snapshot of a stream until the stream finishes or is stopped', async () => {
    const { stream, held } = reader();
    async function* numbers() {
      yield 1;
      yield 2;
    }
    const [whole, stopped] = [stream(numbers), stream(numbers)];
    expect(held()).toBe(0);
    const all: number[] = [];
    for await (const one of whole) all.push(one);
    await stopped.next();
    expect([all, held()]).toEqual([[1, 2], 1]);
    await stopped.return();
    expect(held()).toBe(0);
  });
});
