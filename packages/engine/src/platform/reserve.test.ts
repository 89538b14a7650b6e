import { FixpointError } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { createReserves } from './reserve.ts';

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
