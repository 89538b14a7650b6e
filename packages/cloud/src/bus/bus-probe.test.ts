import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { probeBus } from './bus-probe.ts';
import { createListeners, type HintBus, localBus } from './hint-bus.ts';
import { natsBus } from './nats-bus.ts';

const NATS = process.env['FIXPOINT_TEST_NATS'];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A bus like those between processes: delivers a hint at once here, and again after `ms`. */
function slowBus(ms: () => number | undefined): HintBus {
  const { tell, subscribe } = createListeners();
  return {
    publish: (id) => {
      tell(id);
      const later = ms();
      if (later !== undefined) setTimeout(tell, later, id);
    },
    subscribe,
    close: async () => undefined,
  };
}

const now = () => Date.now();

test('reports how long the last hint took', () => {
  const probe = probeBus(
    slowBus(() => 40),
    true,
    now,
    1000,
  );
  vi.advanceTimersByTime(1040);
  expect(probe.delay()).toBe(0.04);
  probe.stop();
});

test('reports a growing delay while no hint comes back, and a small one after that', () => {
  let later: number | undefined;
  const probe = probeBus(
    slowBus(() => later),
    true,
    now,
    1000,
  );
  vi.advanceTimersByTime(10_000);
  expect(probe.delay()).toBe(9);
  later = 5;
  // The first hint that comes back ends the outage. The next one is on time.
  vi.advanceTimersByTime(2010);
  expect(probe.delay()).toBe(0.005);
  probe.stop();
  vi.advanceTimersByTime(10_000);
  expect(probe.delay()).toBe(0.005);
});

test.skipIf(NATS === undefined)('receives its own hints from NATS (FIXPOINT_TEST_NATS)', async () => {
  vi.useRealTimers();
  const bus = await natsBus([NATS ?? ''], () => undefined);
  const probe = probeBus(bus, true, () => performance.now(), 20);
  onTestFinished(async () => {
    probe.stop();
    await bus.close();
  });
  await expect.poll(probe.delay).toBeGreaterThan(0);
  // A hint that never came back would take longer and longer.
  await new Promise((done) => setTimeout(done, 200));
  await expect.poll(probe.delay).toBeLessThan(0.15);
});

test('reports no delay within one process', () => {
  const probe = probeBus(localBus(), false, now, 1000);
  vi.advanceTimersByTime(3000);
  expect(probe.delay()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
