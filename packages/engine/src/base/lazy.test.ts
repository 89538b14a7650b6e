import { expect, test } from 'vitest';
import { createLazy } from './lazy.ts';

test('loads on the first call, and not again on later calls', async () => {
  let loads = 0;
  const lazy = createLazy(async () => ++loads);
  expect(lazy.peek()).toBeUndefined();
  expect(await Promise.all([lazy.load(), lazy.load()])).toEqual([1, 1]);
  expect(await lazy.peek()).toBe(1);
});

test('forgets a failed load, so that the next call tries again', async () => {
  let loads = 0;
  const lazy = createLazy(async () => {
    loads++;
    if (loads === 1) throw new Error('offline');
    return loads;
  });
  await expect(lazy.load()).rejects.toThrow('offline');
  expect(lazy.peek()).toBeUndefined();
  expect(await lazy.load()).toBe(2);
});
