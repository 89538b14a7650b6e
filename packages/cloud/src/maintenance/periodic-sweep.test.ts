import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPeriodicSweep } from './periodic-sweep.ts';

function arranged(pass: () => Promise<void>) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const faults: unknown[] = [];
  return { faults, ...createPeriodicSweep(1000, pass, (cause) => void faults.push(cause)) };
}

/** Creates passes that finish only when the test calls `end`. */
function heldPasses() {
  const ends: (() => void)[] = [];
  const pass = vi.fn(() => new Promise<void>((resolve) => void ends.push(resolve)));
  return { pass, end: () => ends.shift()?.() };
}

describe('a background job', () => {
  test('runs once in each interval, until it is stopped', async () => {
    const pass = vi.fn(async () => undefined);
    const { sweep, stop } = arranged(pass);
    expect(pass).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(3000);
    await sweep();
    expect(pass).toHaveBeenCalledTimes(4);
    await stop();
    await vi.advanceTimersByTimeAsync(3000);
    expect(pass).toHaveBeenCalledTimes(4);
  });

  test('starts a requested pass only after the previous pass has finished', async () => {
    const { pass, end } = heldPasses();
    const { sweep } = arranged(pass);
    const [first, second] = [sweep(), sweep()];
    await Promise.resolve();
    expect(pass).toHaveBeenCalledTimes(1);
    end();
    await first;
    await vi.waitFor(() => expect(pass).toHaveBeenCalledTimes(2));
    end();
    await second;
  });

  test('reports a failed pass, and runs the next one', async () => {
    const pass = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('no disk'));
    const { sweep, faults } = arranged(pass);
    await sweep();
    await sweep();
    expect(faults).toEqual([new Error('no disk')]);
    expect(pass).toHaveBeenCalledTimes(2);
  });

  test('waits for the running pass when it is stopped', async () => {
    const { pass, end } = heldPasses();
    const { sweep, stop } = arranged(pass);
    void sweep();
    let isStopped = false;
    const stopped = stop().then(() => {
      isStopped = true;
    });
    await Promise.resolve();
    expect(isStopped).toBe(false);
    await vi.waitFor(() => expect(pass).toHaveBeenCalled());
    end();
    await stopped;
    expect(isStopped).toBe(true);
  });
});
