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
