/**
 * Runs a job whenever it is woken, one run at a time. After a failure, retries the job with a
 * delay.
 */
import type { FixpointError } from '@fixpoint/protocol';
import type { Platform } from '../ports/platform.ts';
import { type BackOffPlan, createBackOff } from './back-off.ts';
import { asFailure } from './failures.ts';

export interface Runner {
  /**
   * Wakes the job, because there may be work. A job that waits after a failure runs early only with
   * `now`.
   */
  wake(now?: 'now'): void;
  /** Returns why the last run failed; undefined once a run succeeds. */
  failure(): FixpointError | undefined;
  /** Resolves when the job isn't running. Waiting after a failure doesn't count as running. */
  settled(): Promise<void>;
  stop(): void;
}

/** @param ran called after each run */
export function createRunner(
  { time, random }: Pick<Platform, 'time' | 'random'>,
  plan: BackOffPlan,
  job: () => Promise<void>,
  ran: () => void,
): Runner {
  const backOff = createBackOff(random, plan);
  let running: Promise<void> | undefined;
  let again: 'no' | 'later' | 'now' = 'no';
  let failure: FixpointError | undefined;
  let stopTimer: (() => void) | undefined;
  let isStopped = false;

  async function run(): Promise<void> {
    do {
      again = 'no';
      try {
        await job();
        failure = undefined;
        backOff.reset();
      } catch (cause) {
        failure = asFailure(cause);
      }
      if (isStopped) break;
      ran();
    } while (wantsMore());
    running = undefined;
    if (failure === undefined || isStopped) return;
    stopTimer = time.after(backOff.nextMs(), () => {
      stopTimer = undefined;
      start();
    });
  }

  /**
   * This is a function so that TypeScript doesn't narrow `again`, which changes while a job runs.
   */
  const wantsMore = () => again === 'now' || (again === 'later' && failure === undefined);

  function start(): void {
    stopTimer?.();
    stopTimer = undefined;
    running ??= run();
  }

  return {
    wake: (now) => {
      if (isStopped) return;
      if (running !== undefined) again = now ?? (again === 'now' ? 'now' : 'later');
      else if (now === 'now' || stopTimer === undefined) start();
    },
    failure: () => failure,
    settled: async () => {
      while (running !== undefined) await running;
    },
    stop: () => {
      isStopped = true;
      stopTimer?.();
    },
  };
}

/**
 * Requests of callers to a job. A successful run answers the requests that were added before the
 * run began.
 */
export interface Requests {
  /** Adds a request. Returns a function that reports whether the request is still open. */
  add(): () => boolean;
  /** Call this when a run begins. Returns a function that answers all requests added until now. */
  begin(): () => void;
  isOpen(): boolean;
}

export function createRequests(): Requests {
  let [asked, answered] = [0, 0];
  return {
    add: () => {
      asked += 1;
      const mine = asked;
      return () => answered < mine;
    },
    begin: () => {
      const last = asked;
      return () => {
        answered = last;
      };
    },
    isOpen: () => answered < asked,
  };
}
