import { expect, test, vi } from 'vitest';
import { isAsked, waitingWrite, withWindow } from './ask-before-leaving.fixture.ts';
import { untilStored, warnWhile } from './ask-before-leaving.ts';

withWindow();

test('asks while a write is pending', async () => {
  expect(isAsked()).toBe(false);
  const write = waitingWrite<string>();
  const stored = untilStored(write.promise);
  expect(isAsked()).toBe(true);
  write.resolve('stored');
  expect(await stored).toBe('stored');
  expect(isAsked()).toBe(false);
});

test('stops asking after a failed write, and passes the error to the caller', async () => {
  const write = waitingWrite<never>();
  const stored = untilStored(write.promise);
  expect(isAsked()).toBe(true);
  write.reject(new Error('the disk is full'));
  await expect(stored).rejects.toThrow('the disk is full');
  expect(isAsked()).toBe(false);
});

test('counts each of several writes', async () => {
  const [first, second] = [waitingWrite<void>(), waitingWrite<void>()];
  const [one, other] = [untilStored(first.promise), untilStored(second.promise)];
  first.resolve();
  await one;
  expect(isAsked()).toBe(true);
  second.resolve();
  await other;
  expect(isAsked()).toBe(false);
});

test('calls `isLoss` when the page is about to close, until the warning ends', () => {
  let isLoss = false;
  const end = warnWhile(() => isLoss);
  expect(isAsked()).toBe(false);
  isLoss = true;
  expect(isAsked()).toBe(true);
  end();
  expect(isAsked()).toBe(false);
});

test('ends the same warning separately for each caller', () => {
  const isLoss = () => true;
  const [endFirst, endSecond] = [warnWhile(isLoss), warnWhile(isLoss)];
  endFirst();
  endFirst();
  expect(isAsked()).toBe(true);
  endSecond();
  expect(isAsked()).toBe(false);
});

test('removes its listener only after the last warning ended', () => {
  const add = vi.spyOn(window, 'addEventListener');
  const remove = vi.spyOn(window, 'removeEventListener');
  const ends = [warnWhile(() => false), warnWhile(() => false)];
  const listener: unknown = add.mock.calls[0]?.[1];
  ends[0]?.();
  expect(remove).not.toHaveBeenCalled();
  ends[1]?.();
  expect(remove).toHaveBeenCalledWith('beforeunload', listener);
});
