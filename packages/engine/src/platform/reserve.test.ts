import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import type { Guard } from '../ports/byte-store.ts';
import { memoryStore } from './memory-store.ts';
import { createReserves, withReserve } from './reserve.ts';

test('reserves space again only after the work that uses the released space has finished', async () => {
  const steps: string[] = [];
  const { forDeletes } = createReserves(() => ({
    take: async () => {
      steps.push('take');
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => void steps.push('give up'),
  }));
  let attempt = 0;
  const freed = forDeletes.spend(async () => {
    attempt += 1;
    if (attempt === 1) throw new FixpointError('STORE_FULL');
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    steps.push('freed');
  });
  while (!steps.includes('give up')) await Promise.resolve();
  await Promise.all([freed, forDeletes.keep(1)]);
  expect(steps).toEqual(['give up', 'freed', 'take']);
});

test.each([
  ['a delete', 'later', ['forDeletes']],
  ['a commit of pending writes', 'pending', ['forPending']],
  ['a compaction', 'now', ['forPending', 'forDeletes', 'forCompaction']],
  ['any other write', undefined, []],
] as const)('[R10] gives up only the reserve of %s on a full disk', async (_, frees, expected) => {
  const released: string[] = [];
  const reserves = createReserves((kind) => ({
    take: async () => Number.POSITIVE_INFINITY,
    giveUp: async () => void released.push(kind),
  }));
  const full = new FixpointError('STORE_FULL');
  const store = withReserve({ ...memoryStore(), write: () => Promise.reject(full) }, reserves);
  const guard: Guard = { key: 'head', bytes: undefined, frees };
  await expect(store.write([], guard)).rejects.toBe(full);
  expect([...new Set(released)]).toEqual(expected);
});

test('reserves space for a commit of pending writes once such a write is stored', async () => {
  const taken: string[] = [];
  const reserves = createReserves((kind) => ({
    take: async () => {
      taken.push(kind);
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => undefined,
  }));
  const store = withReserve(memoryStore(), reserves);
  await store.write([{ key: 'a', bytes: Uint8Array.of(1) }]);
  expect(taken).toEqual(['forCompaction', 'forDeletes']);
  await store.write([{ key: 'b', bytes: Uint8Array.of(1), isPending: true }]);
  expect(taken).toEqual(['forCompaction', 'forDeletes', 'forPending']);
});

/** Creates a reserve that is enough for ten more bytes each time, and takes space ahead of time. */
function steps() {
  const state = { log: [] as string[], hold: undefined as Promise<void> | undefined, isFull: false };
  const { forDeletes } = createReserves(() => ({
    take: async (written) => {
      state.log.push(`take for ${written}`);
      await state.hold;
      if (state.isFull) throw new FixpointError('STORE_FULL');
      return written + 10;
    },
    giveUp: async () => void state.log.push('give up'),
    aheadBytes: 4,
  }));
  return { state, forDeletes };
}

test('takes space for more ahead of time, while writes continue', async () => {
  const { state, forDeletes } = steps();
  await forDeletes.keep(5);
  let take: () => void = () => undefined;
  state.hold = new Promise((resolve) => {
    take = resolve;
  });
  await forDeletes.keep(7);
  expect(state.log).toEqual(['take for 5', 'take for 16']);
  let isDone = false;
  const beyond = forDeletes.keep(4).then(() => {
    isDone = true;
  });
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(isDone).toBe(false);
  take();
  await beyond;
  expect(state.log).toEqual(['take for 5', 'take for 16']);
});

test('[R10] rejects a write once it needs space that could not be taken', async () => {
  const { state, forDeletes } = steps();
  await forDeletes.keep(5);
  state.isFull = true;
  await forDeletes.keep(7);
  await expect(forDeletes.keep(4)).rejects.toMatchObject({ code: 'STORE_FULL' });
});

test('[R10] gives up space only after all of it was taken', async () => {
  const { state, forDeletes } = steps();
  await forDeletes.keep(5);
  let take: () => void = () => undefined;
  state.hold = new Promise((resolve) => {
    take = resolve;
  });
  await forDeletes.keep(7);
  let attempts = 0;
  const spent = forDeletes.spend(async () => {
    attempts += 1;
    state.log.push('work');
    if (attempts === 1) throw new FixpointError('STORE_FULL');
  });
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  expect(state.log).toEqual(['take for 5', 'take for 16', 'work']);
  take();
  await spent;
  expect(state.log.slice(3)).toEqual(['give up', 'work']);
});

test('takes no space for a write after the close', async () => {
  const taken: string[] = [];
  const reserves = createReserves((kind) => ({
    take: async () => {
      taken.push(kind);
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => undefined,
  }));
  const closed = new FixpointError('DATABASE_CLOSED');
  const store = withReserve({ ...memoryStore(), write: () => Promise.reject(closed) }, reserves);
  await store.close();
  await expect(store.write([{ key: 'a', bytes: Uint8Array.of(1) }])).rejects.toBe(closed);
  expect(taken).toEqual([]);
});
