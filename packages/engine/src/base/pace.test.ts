import { expect, test } from 'vitest';
import { createPace } from './pace.ts';

test('[R11] a slice ends after its time, and at once when the clock goes back: others never wait for a clock', async () => {
  let now = 1_000_000;
  const pace = createPace({ now: () => now, turn: async () => undefined }, 10);
  now += 9;
  expect(pace.isDue()).toBe(false);
  now += 1;
  expect(pace.isDue()).toBe(true);
  await pace.rest();
  expect(pace.isDue()).toBe(false);
  now -= 86_400_000;
  expect(pace.isDue()).toBe(true);
  await pace.rest();
  expect(pace.isDue()).toBe(false);
});
