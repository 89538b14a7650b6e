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

test('[R10] reserves that space again before any other write, once a commit has used it', async () => {
  let isFull = false;
  const reserves = createReserves((kind) => ({
    take: async () => {
      if (isFull && kind === 'forPending') throw new FixpointError('STORE_FULL');
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => undefined,
  }));
  const below = memoryStore();
  const store = withReserve(
    {
      ...below,
      write: (changes, guard) =>
        isFull && changes.length > 1 ? failOnce(changes, guard) : below.write(changes, guard),
    },
    reserves,
  );
  let hasFailed = false;
  const failOnce: typeof below.write = (changes, guard) => {
    if (hasFailed) return below.write(changes, guard);
    hasFailed = true;
    return Promise.reject(new FixpointError('STORE_FULL'));
  };
  await store.write([{ key: 'pending/1', bytes: Uint8Array.of(1), isPending: true }]);
  isFull = true;
  const committed = [
    { key: 'pending/1', bytes: undefined },
    { key: 'head', bytes: Uint8Array.of(1) },
  ];
  await store.write(committed, { key: 'head', bytes: undefined, frees: 'pending' });
  expect(hasFailed).toBe(true);
  await expect(store.write([{ key: 'a', bytes: Uint8Array.of(1) }])).rejects.toMatchObject({
    code: 'STORE_FULL',
  });
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
