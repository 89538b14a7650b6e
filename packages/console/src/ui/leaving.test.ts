import { expect, test, vi } from 'vitest';
import { isAsked, waitingWrite, withWindow } from './leaving.fixture.ts';
import { untilStored, warnWhile } from './leaving.ts';

withWindow();

test('a write that is on its way is a reason to stay, until it is stored', async () => {
  expect(isAsked()).toBe(false);
  const write = waitingWrite<string>();
  const stored = untilStored(write.promise);
  expect(isAsked()).toBe(true);
  write.resolve('stored');
  expect(await stored).toBe('stored');
  expect(isAsked()).toBe(false);
});

test('a write that failed is one no longer, and its failure reaches who began it', async () => {
  const write = waitingWrite<never>();
  const stored = untilStored(write.promise);
  expect(isAsked()).toBe(true);
  write.reject(new Error('the disk is full'));
  await expect(stored).rejects.toThrow('the disk is full');
  expect(isAsked()).toBe(false);
});

test('of several writes each is a reason of its own', async () => {
  const [first, second] = [waitingWrite<void>(), waitingWrite<void>()];
  const [one, other] = [untilStored(first.promise), untilStored(second.promise)];
  first.resolve();
  await one;
  expect(isAsked()).toBe(true);
  second.resolve();
  await other;
  expect(isAsked()).toBe(false);
});

test('what may be lost is asked for when the page is about to go, and no more once it ended', () => {
  let isLoss = false;
  const end = warnWhile(() => isLoss);
  expect(isAsked()).toBe(false);
  isLoss = true;
  expect(isAsked()).toBe(true);
  end();
  expect(isAsked()).toBe(false);
});

test('the same question asked twice ends once for each who asked it', () => {
  const isLoss = () => true;
  const [endFirst, endSecond] = [warnWhile(isLoss), warnWhile(isLoss)];
  endFirst();
  endFirst();
  expect(isAsked()).toBe(true);
  endSecond();
  expect(isAsked()).toBe(false);
});

test('nobody listens while nothing can be lost', () => {
  const add = vi.spyOn(window, 'addEventListener');
  const remove = vi.spyOn(window, 'removeEventListener');
  const ends = [warnWhile(() => false), warnWhile(() => false)];
  const listener: unknown = add.mock.calls[0]?.[1];
  ends[0]?.();
  expect(remove).not.toHaveBeenCalled();
  ends[1]?.();
  expect(remove).toHaveBeenCalledWith('beforeunload', listener);
});
