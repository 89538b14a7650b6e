import { FixpointError } from '@fixpoint/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createApp } from './app.ts';

const connection = { effectiveType: '4g' };

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('navigator', { connection });
});

afterEach(() => {
  connection.effectiveType = '4g';
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const appOf = () => createApp(() => Promise.reject(new Error('nobody asks the server')));

/** When a call that always fails so was made, in seconds after the first time. */
async function timesOf(error: Error): Promise<readonly number[]> {
  const began = Date.now();
  const times: number[] = [];
  const queryFn = () => {
    times.push((Date.now() - began) / 1000);
    return Promise.reject(error);
  };
  const failed = expect(appOf().queries.fetchQuery({ queryKey: ['x'], queryFn })).rejects.toBe(error);
  await vi.advanceTimersByTimeAsync(300_000);
  await failed;
  return times;
}

test('[spec 9] a call that failed is made again three times, every five seconds, on a slow connection every ten', async () => {
  expect(await timesOf(new FixpointError('FETCH'))).toEqual([0, 5, 10, 15]);
  connection.effectiveType = '2g';
  expect(await timesOf(new FixpointError('FETCH'))).toEqual([0, 10, 20, 30]);
  expect(await timesOf(new FixpointError('LIMIT_REACHED'))).toEqual([0]);
});

test('[spec 9] an answer that no page shows is kept for five minutes', async () => {
  const { queries } = appOf();
  await queries.fetchQuery({ queryKey: ['x'], queryFn: () => 'answer' });
  await vi.advanceTimersByTimeAsync(299_000);
  expect(queries.getQueryData(['x'])).toBe('answer');
  await vi.advanceTimersByTimeAsync(2000);
  expect(queries.getQueryData(['x'])).toBeUndefined();
});
