import { expect, test } from 'vitest';
import { createTurns } from './concurrency-limit.ts';

test('[S7] runs two calls at once, queues three in order, and rejects one more with a time to retry', async () => {
  const turns = createTurns(2, 3);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = [0, 1, 2, 3, 4].map((at) =>
    turns.run(async () => {
      begun.push(at);
      await new Promise<void>((resolve) => ends.push(resolve));
      return at;
    }),
  );
  await expect(turns.run(async () => 5)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 2,
  });
  expect(begun).toEqual([0, 1]);
  for (const at of [0, 1, 2, 3, 4]) {
    ends[at]?.();
    await all[at];
  }
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4]);
});

test('starts the next call after a call has failed', async () => {
  const turns = createTurns(1, 1);
  await expect(turns.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await turns.run(async () => 'next')).toBe('next');
});
