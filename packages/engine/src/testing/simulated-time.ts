/**
 * Simulates time that passes only when a test lets it pass. Timers are called in order, as fast as
 * possible.
 */
import type { Time } from '../ports/time.ts';

/**
 * The longest simulated wait of a test. A test that waits longer waits for something that never
 * happens.
 */
const PATIENCE_MS = 600_000;

export interface SimulatedTime extends Time {
  /** Lets time pass. Before each timer, all pending tasks run. */
  pass(ms: number): Promise<void>;
  /** Lets time pass until the promise settles, and returns its value. */
  run<T>(promise: Promise<T>): Promise<T>;
  /** Lets time pass until the condition is true. */
  until(condition: () => boolean | Promise<boolean>): Promise<void>;
}

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fn: () => void;
}

/**
 * Creates simulated time for a test.
 * @param startMs the time at the beginning, in ms since 1970
 * @param outside resolves when no work is running that takes real time, such as work of a server
 * with its own files; simulated time stops until then
 */
export function simulatedTime(
  startMs = 1_700_000_000_000,
  outside: () => Promise<void> = async () => undefined,
): SimulatedTime {
  const timers = new Set<Timer>();
  let now = startMs;
  let order = 0;

  /**
   * Waits until all pending microtasks have run, which happens before the next turn of the event
   * loop.
   */
  const settle = async () => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    await outside();
  };

  function nextTimer(): Timer | undefined {
    let next: Timer | undefined;
    for (const timer of timers)
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.order < next.order))
        next = timer;
    return next;
  }

  function fire(timer: Timer): void {
    timers.delete(timer);
    now = Math.max(now, timer.at);
    timer.fn();
  }

  async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
    const latest = now + PATIENCE_MS;
    await settle();
    while (!(await condition())) {
      const timer = nextTimer();
      if (timer === undefined) throw new Error('nothing is left to happen, and the condition does not hold');
      if (timer.at > latest) throw new Error(`the condition did not hold within ${PATIENCE_MS} ms`);
      fire(timer);
      await settle();
    }
  }

  return {
    now: () => now,
    after: (ms, fn) => {
      const timer = { at: now + ms, order: order++, fn };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass: async (ms) => {
      const end = now + ms;
      await settle();
      for (let timer = nextTimer(); timer !== undefined && timer.at <= end; timer = nextTimer()) {
        fire(timer);
        await settle();
      }
      now = end;
    },
    run: async (promise) => {
      let isSettled = false;
      const done = () => {
        isSettled = true;
      };
      promise.then(done, done);
      await until(() => isSettled);
      return promise;
    },
    until,
  };
}
