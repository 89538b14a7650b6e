import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import type { Guard, StoreChange } from '../ports/byte-store.ts';
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

/** Creates reserves that list which of them were taken, unless there is no space for one. */
function takenReserves() {
  const state = { taken: [] as string[], full: undefined as string | undefined };
  const reserves = createReserves((kind) => ({
    take: async () => {
      if (kind === state.full) throw new FixpointError('STORE_FULL');
      state.taken.push(kind);
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => undefined,
  }));
  return { state, reserves };
}

const row = (key: string, isPending?: true): StoreChange => ({
  key,
  bytes: Uint8Array.of(1),
  ...(isPending && { isPending }),
});

test('reserves space for a commit of pending writes once such a write is stored', async () => {
  const { state, reserves } = takenReserves();
  const store = withReserve(memoryStore(), reserves);
  await store.write([row('a')]);
  expect(state.taken).toEqual(['forCompaction', 'forDeletes']);
  await store.write([row('b', true)]);
  expect(state.taken).toEqual(['forCompaction', 'forDeletes', 'forPending']);
});

test('[R10] rejects other writes while a commit of pending writes uses that space', async () => {
  const { state, reserves } = takenReserves();
  const below = memoryStore();
  let failures = 0;
  const store = withReserve(
    {
      ...below,
      write: (changes, guard) => {
        if (guard?.frees !== 'pending' || failures > 0) return below.write(changes, guard);
        failures += 1;
        return Promise.reject(new FixpointError('STORE_FULL'));
      },
    },
    reserves,
  );
  await store.write([row('pending/1', true)]);
  await store.write([row('head')], { key: 'head', bytes: undefined, frees: 'pending' });
  expect(failures).toBe(1);
  state.full = 'forPending';
  await expect(store.write([row('a')])).rejects.toMatchObject({ code: 'STORE_FULL' });
  state.full = undefined;
  await store.write([row('a')]);
});

test('takes no space for a write after the close', async () => {
  const { state, reserves } = takenReserves();
  const closed = new FixpointError('DATABASE_CLOSED');
  const store = withReserve({ ...memoryStore(), write: () => Promise.reject(closed) }, reserves);
  await store.close();
  await expect(store.write([row('a')])).rejects.toBe(closed);
  expect(state.taken).toEqual([]);
});
