import { expect, test } from 'vitest';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { tokenSource } from './token-source.ts';

test.each([
  ['two minutes before it expires', 600, 480],
  ['after a minute at the earliest, even if the token claims to expire sooner', 10, 60],
])('[R16] replaces a token %s', async (_, lifeSeconds, usedSeconds) => {
  const time = simulatedTime();
  let asked = 0;
  const tokens = tokenSource(async () => {
    asked += 1;
    const claims = { n: asked, exp: Math.floor(time.now() / 1000) + lifeSeconds };
    return `head.${btoa(JSON.stringify(claims))}.signature`;
  }, time);
  const first = await tokens.get();
  await time.pass((usedSeconds - 2) * 1000);
  expect(await tokens.get()).toBe(first);
  await time.pass(3000);
  expect(await tokens.get()).not.toBe(first);
  expect(asked).toBe(2);
});
