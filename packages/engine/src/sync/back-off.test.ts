import { expect, test } from 'vitest';
import { type BackOffPlan, createBackOff } from './back-off.ts';

const PLAN: BackOffPlan = { firstMs: 100, mostMs: 1000, patientAfter: 6, patientMostMs: 5000 };
const always = (byte: number) => ({ bytes: (length: number) => new Uint8Array(length).fill(byte) });
const waits = (byte: number, count: number) => {
  const backOff = createBackOff(always(byte), PLAN);
  return { next: Array.from({ length: count }, backOff.nextMs), backOff };
};

test('[R13] doubles waits up to a maximum that grows after many tries', () => {
  expect(waits(255, 10).next).toEqual([100, 200, 400, 800, 1000, 1000, 2000, 4000, 5000, 5000]);
});

test('[R13] shortens a wait randomly by up to half, so that clients of a failed server do not reconnect all at once', () => {
  expect(waits(0, 5).next).toEqual([50, 100, 200, 400, 500]);
  const [middle = 0] = waits(100, 1).next;
  expect(middle).toBeGreaterThan(50);
  expect(middle).toBeLessThan(100);
});

test('starts again with the shortest wait after a success', () => {
  const { backOff } = waits(255, 8);
  backOff.reset();
  expect(backOff.nextMs()).toBe(100);
});

test('keeps waits finite after any number of tries', () => {
  expect(waits(255, 5000).next.at(-1)).toBe(5000);
});
