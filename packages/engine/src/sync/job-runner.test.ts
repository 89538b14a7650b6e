import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import { simulatedTime } from '../testing/simulated-time.ts';
import type { BackOffPlan } from './back-off.ts';
import { createRequests, createRunner } from './job-runner.ts';

const PLAN: BackOffPlan = { firstMs: 100, mostMs: 1000, patientAfter: 3, patientMostMs: 5000 };
/** Returns random bytes that shorten none of the waits in the plan. */
const random = { bytes: () => Uint8Array.of(255) };

/** Creates a job. The test decides when each run ends, and whether the run fails. */
function jobOf() {
  const time = simulatedTime();
  const runs: { readonly end: () => void; readonly fail: (cause: unknown) => void }[] = [];
  let ended = 0;
  let running = 0;
  let most = 0;
  const runner = createRunner(
    { time, random },
    PLAN,
    async () => {
      running += 1;
      most = Math.max(most, running);
      try {
        await new Promise<void>((resolve, reject) => runs.push({ end: resolve, fail: reject }));
      } finally {
        running -= 1;
      }
    },
    () => void ended++,
  );
  const last = () => runs.at(-1) as (typeof runs)[number];
  const end = async (cause?: unknown) => {
    if (cause === undefined) last().end();
    else last().fail(cause);
    await time.pass(0);
  };
  return { time, runner, runs, end, ended: () => ended, most: () => most };
}
const failed = new FixpointError('GATEWAY_PUT', 'status 503');

describe('waking a job', () => {
  test('runs the job at once, one run at a time', async () => {
    const { runner, runs, end, most } = jobOf();
    runner.wake();
    runner.wake();
    expect(runs).toHaveLength(1);
    await end();
    await end();
    expect([runs.length, most()]).toEqual([2, 1]);
  });

  test('runs the job one more time, no matter how often the job was woken during a run', async () => {
    const { runner, runs, end } = jobOf();
    runner.wake();
    for (let n = 0; n < 10; n++) runner.wake(n % 2 === 0 ? 'now' : undefined);
    await end();
    expect(runs).toHaveLength(2);
    await end();
    expect(runs).toHaveLength(2);
  });

  test('calls `ran` after each run', async () => {
    const { runner, end, ended } = jobOf();
    runner.wake();
    expect(ended()).toBe(0);
    runner.wake();
    await end();
    expect(ended()).toBe(1);
    await end(failed);
    expect(ended()).toBe(2);
  });

  test('runs the job again after it was idle', async () => {
    const { runner, runs, end } = jobOf();
    runner.wake();
    await end();
    runner.wake();
    expect(runs).toHaveLength(2);
  });
});

describe('a job that fails', () => {
  test('[R17] runs again after a wait that grows up to its limit', async () => {
    const { time, runner, runs, end } = jobOf();
    runner.wake();
    for (const ms of [100, 200, 400, 2000, 4000, 5000, 5000]) {
      const before = runs.length;
      await end(failed);
      await time.pass(ms - 1);
      expect(runs).toHaveLength(before);
      await time.pass(1);
      expect(runs).toHaveLength(before + 1);
    }
  });

  test('starts with the shortest wait again after a run succeeded', async () => {
    const { time, runner, runs, end } = jobOf();
    runner.wake();
    await end(failed);
    await time.pass(100);
    await end(failed);
    await time.pass(200);
    await end();
    runner.wake();
    await end(failed);
    const before = runs.length;
    await time.pass(100);
    expect(runs).toHaveLength(before + 1);
  });

  test('reports why the last run failed, until a run succeeds', async () => {
    const { time, runner, end } = jobOf();
    runner.wake();
    await end(failed);
    expect(runner.failure()).toBe(failed);
    await time.pass(100);
    // The second run hasn't finished, so the failure of the first run still counts.
    expect(runner.failure()).toBe(failed);
    await end();
    expect(runner.failure()).toBeUndefined();
  });

  test.each([
    ['an error of an application', new TypeError('no token'), 'no token'],
    ['a thrown text', 'no token', 'no token'],
  ])('reports %s as a `FixpointError`', async (_, cause, message) => {
    const { runner, end } = jobOf();
    runner.wake();
    await end(cause);
    expect(runner.failure()).toMatchObject({ code: 'FETCH', message: expect.stringContaining(message) });
  });

  test('continues to wait when woken, but runs at once when woken with `now`', async () => {
    const { time, runner, runs, end } = jobOf();
    runner.wake();
    await end(failed);
    runner.wake();
    expect(runs).toHaveLength(1);
    runner.wake('now');
    expect(runs).toHaveLength(2);
    await end();
    // The wait that was cut short doesn't start a second run.
    await time.pass(10_000);
    expect(runs).toHaveLength(2);
  });

  test('does not skip its wait when woken during the run, unless woken with `now`', async () => {
    const { runner, runs, end } = jobOf();
    runner.wake();
    runner.wake();
    await end(failed);
    expect(runs).toHaveLength(1);
    runner.wake('now');
    runner.wake('now');
    // A later wake without `now` doesn't make the run less urgent.
    runner.wake();
    await end(failed);
    expect(runs).toHaveLength(3);
  });
});

describe('stopping a job', () => {
  test('lets the current run finish, and prevents further runs', async () => {
    const { time, runner, runs, end, ended } = jobOf();
    runner.wake();
    runner.wake('now');
    runner.stop();
    await end(failed);
    runner.wake('now');
    await time.pass(10_000);
    expect([runs.length, ended()]).toEqual([1, 0]);
  });

  test('cancels the retry after a failure', async () => {
    const { time, runner, runs, end } = jobOf();
    runner.wake();
    await end(failed);
    runner.stop();
    await time.pass(10_000);
    expect(runs).toHaveLength(1);
  });

  test('resolves `settled` when the run ends, not before', async () => {
    const { time, runner, end } = jobOf();
    runner.wake();
    let isSettled = false;
    void runner.settled().then(() => {
      isSettled = true;
    });
    runner.stop();
    await time.pass(0);
    expect(isSettled).toBe(false);
    await end();
    expect(isSettled).toBe(true);
  });

  test('resolves `settled` at once while the job waits after a failure', async () => {
    const { runner, end } = jobOf();
    await runner.settled();
    runner.wake();
    await end(failed);
    await runner.settled();
  });
});

describe('requests to a job', () => {
  test('answers a request only with a run that began after the request', () => {
    const requests = createRequests();
    const isFirstOpen = requests.add();
    const answer = requests.begin();
    const isSecondOpen = requests.add();
    expect([isFirstOpen(), isSecondOpen(), requests.isOpen()]).toEqual([true, true, true]);
    answer();
    expect([isFirstOpen(), isSecondOpen(), requests.isOpen()]).toEqual([false, true, true]);
    requests.begin()();
    expect([isSecondOpen(), requests.isOpen()]).toEqual([false, false]);
  });

  test('keeps a request open when the run fails', () => {
    const requests = createRequests();
    const isOpen = requests.add();
    requests.begin();
    expect(isOpen()).toBe(true);
  });

  test('reports no open request before the first request', () => {
    const requests = createRequests();
    expect(requests.isOpen()).toBe(false);
    requests.begin()();
    expect(requests.isOpen()).toBe(false);
  });
});
