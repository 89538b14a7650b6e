import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { waiting } from './pages.fixture.tsx';
import { useSettled } from './use-settled.ts';

afterEach(cleanup);

const follow = <T,>(promise: Promise<T>) =>
  renderHook(({ of }) => useSettled(of), { initialProps: { of: promise } });

test('returns undefined until the promise settles, then the value of the promise', async () => {
  const { promise, come } = waiting<string>();
  const { result } = follow(promise);
  expect(result.current).toBe(undefined);
  await come('ready');
  expect(result.current).toEqual({ value: 'ready' });
});

test('distinguishes a rejection from a value', async () => {
  const { result } = follow(Promise.reject(new Error('refused')));
  await act(async () => undefined);
  expect(result.current).toEqual({ error: new Error('refused') });
});

test('ignores the result of a promise that was replaced', async () => {
  const [first, second] = [waiting<string>(), waiting<string>()];
  const { result, rerender } = follow(first.promise);
  rerender({ of: second.promise });
  await second.come('second');
  await first.come('first');
  expect(result.current).toEqual({ value: 'second' });
});
