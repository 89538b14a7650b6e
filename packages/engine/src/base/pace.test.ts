import { expect, test } from 'vitest';
import { createPace, paceBehind, WITHOUT_REST } from './pace.ts';

test('[R11] ends a slice when its time is over, or immediately when the clock is set back', async () => {
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

test('makes long work rest until running short work is done, but does not wait for short work that starts later', async () => {
  const short = new Set<Promise<unknown>>();
  let slices = 1;
  const rest = async () => {
    slices += 1;
  };
  const pace = paceBehind(short, { ...WITHOUT_REST, rest });
  expect(pace.isDue()).toBe(false);
  let fail: (cause: unknown) => void = () => undefined;
  short.add(
    new Promise((_resolve, reject) => {
      fail = reject;
    }),
  );
  expect(pace.isDue()).toBe(true);
  let isOver = false;
  const resting = pace.rest().then(() => {
    isOver = true;
  });
  short.add(new Promise(() => undefined));
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  fail(new Error('it was not there'));
  await resting;
  expect(slices).toBe(2);
});
