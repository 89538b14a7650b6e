import { expect, test } from 'vitest';
import { prefetch } from './prefetch.ts';

async function* three(log: string[], failsAt?: number) {
  try {
    for (let n = 1; n <= 3; n += 1) {
      log.push(`made ${n}`);
      if (n === failsAt) throw new Error('failed');
      yield n;
    }
  } finally {
    log.push('ended');
  }
}

test('requests the next value while the caller works on one, and keeps the order', async () => {
  const log: string[] = [];
  for await (const n of prefetch(three(log))) {
    await Promise.resolve();
    log.push(`took ${n}`);
  }
  expect(log).toEqual(['made 1', 'made 2', 'took 1', 'made 3', 'took 2', 'ended', 'took 3']);
});

test('ends the source when the caller stops early; rejects when the caller reaches the failed value', async () => {
  const left: string[] = [];
  for await (const _ of prefetch(three(left))) break;
  expect(left.at(-1)).toBe('ended');
  const failed: string[] = [];
  const taken: number[] = [];
  const work = async () => {
    for await (const n of prefetch(three(failed, 2))) taken.push(n);
  };
  await expect(work()).rejects.toThrow('failed');
  expect([taken, failed.at(-1)]).toEqual([[1], 'ended']);
});
