import { expect, test } from 'vitest';
import { long } from '../../../engine/tests/budget.fixture.ts';
import { createBucket } from '../limits/token-bucket.ts';

function arranged(perSecond: number, burst: number) {
  let now = 0;
  const bucket = createBucket({ perSecond, burst }, () => now);
  return { bucket, pass: (ms: number) => (now += ms) };
}

test('[S7] lets a burst pass, then the configured rate per second, for each key separately', () => {
  const { bucket, pass } = arranged(10, 3);
  expect([1, 2, 3, 4].map(() => bucket.take('a'))).toEqual([0, 0, 0, 100]);
  expect(bucket.take('b')).toBe(0);
  pass(99);
  expect(bucket.take('a')).toBe(1);
  pass(1);
  expect([bucket.take('a'), bucket.take('a')]).toEqual([0, 100]);
});

test('delays a caller longer for each owed token, and gives no token until the debt is repaid', () => {
  const { bucket, pass } = arranged(10, 1);
  expect([1, 2, 3].map(() => bucket.take('a', true))).toEqual([0, 100, 200]);
  pass(200);
  expect(bucket.take('a')).toBe(100);
  pass(100);
  expect(bucket.take('a')).toBe(0);
});

test("grants no extra tokens and doesn't block for ever when the clock is set back", () => {
  const { bucket, pass } = arranged(10, 1);
  pass(1000);
  expect(bucket.take('a')).toBe(0);
  pass(-1000);
  expect(bucket.take('a')).toBe(100);
  pass(100);
  expect(bucket.take('a')).toBe(0);
});

test('[S7] bounds the memory for many one-time callers, and remembers a frequent caller', long, () => {
  const { bucket } = arranged(1, 2);
  bucket.take('eve');
  for (let index = 0; index < 100_000; index += 1) {
    bucket.take(`guest ${index}`);
    if (index % 1000 === 0) bucket.take('eve');
  }
  expect(bucket.take('eve')).toBeGreaterThan(0);
});
