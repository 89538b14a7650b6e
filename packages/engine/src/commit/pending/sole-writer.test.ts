import { expect, test } from 'vitest';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { createSoleWriter } from './sole-writer.ts';

test('counts a store without separate logs of writers as not shared', async () => {
  const sole = createSoleWriter({}, simulatedTime());
  await sole.ask();
  sole.noticed();
  expect(sole.isShared()).toBe(false);
});

test('counts the store as shared until it was asked', async () => {
  const sole = createSoleWriter({ isAlone: async () => true }, simulatedTime());
  expect(sole.isShared()).toBe(true);
  await sole.ask();
  expect(sole.isShared()).toBe(false);
});

test('asks again one second after the last hint of another writer', async () => {
  const time = simulatedTime();
  let asked = 0;
  const sole = createSoleWriter(
    {
      isAlone: async () => {
        asked += 1;
        return true;
      },
    },
    time,
  );
  await sole.ask();
  sole.noticed();
  expect([sole.isShared(), asked]).toEqual([true, 1]);
  await time.pass(999);
  expect([sole.isShared(), asked]).toEqual([true, 1]);
  await time.pass(1);
  sole.isShared();
  await time.pass(0);
  expect([sole.isShared(), asked]).toEqual([false, 2]);
});

test('counts the store as shared if the store cannot answer', async () => {
  const time = simulatedTime();
  const sole = createSoleWriter({ isAlone: () => Promise.reject(new Error('locked')) }, time);
  await sole.ask().catch(() => undefined);
  await time.pass(5000);
  expect(sole.isShared()).toBe(true);
});
