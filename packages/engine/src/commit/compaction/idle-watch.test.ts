import { expect, test } from 'vitest';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { watchForIdleness } from './idle-watch.ts';

function watched(overdueAfter = Number.POSITIVE_INFINITY) {
  const time = simulatedTime();
  let written = 0;
  let done = 0;
  let finish: (() => void) | undefined;
  const watch = watchForIdleness(time, {
    isWorthwhile: () => written > 0,
    isOverdue: () => written >= overdueAfter,
    do: () => {
      done++;
      return new Promise<void>((resolve) => {
        finish = () => {
          written = 0;
          resolve();
        };
      });
    },
  });
  return {
    time,
    watch,
    done: () => done,
    finish: () => finish?.(),
    /** Writes ten times a second. */
    write: async (times: number, by: 'write' | 'sync' = 'write') => {
      for (let n = 0; n < times; n++) {
        written++;
        watch.stirred(by);
        await time.pass(100);
      }
    },
  };
}

test('runs the work when nobody has written for a second', async () => {
  const { time, done, write } = watched();
  await write(50);
  expect(done()).toBe(0);
  await time.pass(800);
  expect(done()).toBe(0);
  await time.pass(500);
  expect(done()).toBe(1);
});

test('notices within a quarter of a second that the work is overdue', async () => {
  const { done, write } = watched(30);
  await write(34);
  expect(done()).toBe(1);
});

test('runs overdue work while others write, one run at a time', async () => {
  const { time, done, write, finish } = watched(30);
  await write(25);
  expect(done()).toBe(0);
  await write(100);
  expect(done()).toBe(1);
  finish();
  await time.pass(0);
  await write(25);
  expect(done()).toBe(1);
  await write(25);
  expect(done()).toBe(2);
});

test('lets overdue work wait for a pause of a sync, but no longer than five seconds', async () => {
  const { done, write, time, finish } = watched(30);
  await write(45, 'sync');
  expect(done()).toBe(0);
  await write(7, 'sync');
  expect(done()).toBe(1);
  finish();
  await time.pass(0);
  await write(40, 'sync');
  await time.pass(1300);
  expect(done()).toBe(2);
});

test('runs overdue work at once when somebody writes during a sync', async () => {
  const { done, write } = watched(30);
  await write(31, 'sync');
  expect(done()).toBe(0);
  await write(3);
  expect(done()).toBe(1);
});

test('runs no work after `stop`', async () => {
  const { time, done, write, watch } = watched();
  await write(1);
  watch.stop();
  await time.pass(5000);
  expect(done()).toBe(0);
});
