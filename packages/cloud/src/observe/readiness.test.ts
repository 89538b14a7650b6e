import { expect, test } from 'vitest';
import { createReadiness } from './readiness.ts';

const yes = async () => true;

test('[R14] reports a server as ready while each of its stores answers', async () => {
  let answer: () => Promise<boolean> = yes;
  let at = 0;
  const isReady = createReadiness([yes, () => answer()], () => at, 20);
  expect(await isReady()).toBe(true);
  for (const other of [
    async () => false,
    async () => Promise.reject(new Error('away')),
    () => new Promise<boolean>(() => undefined),
  ]) {
    answer = other;
    at += 1000;
    expect(await isReady()).toBe(false);
  }
  answer = yes;
  at += 1000;
  expect(await isReady()).toBe(true);
});

test('[S7] queries the stores once per second for all callers, even if the clock is set back', async () => {
  let looks = 0;
  let at = 10_000;
  const isReady = createReadiness(
    [
      async () => {
        looks += 1;
        return true;
      },
    ],
    () => at,
  );
  await Promise.all(Array.from({ length: 50 }, isReady));
  at += 999;
  await isReady();
  expect(looks).toBe(1);
  at += 1;
  await isReady();
  expect(looks).toBe(2);
  at -= 5000;
  await isReady();
  expect(looks).toBe(3);
});
