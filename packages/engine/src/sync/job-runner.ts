/** Runs one job whenever it is woken: one run at a time, and a delayed retry after a failure. */
import type { FixpointError } from '@fixpoint/protocol';
import type { Platform } from '../ports/platform.ts';
import { type BackOffPlan, createBackOff } from './back-off.ts';
import { asFailure } from './failures.ts';

export interface Runner {
  /** Reports possible work. A job that waits after a failure runs early only with `now`. */
  wake(now?: 'now'): void;
  /** Returns why the last run failed, until one succeeds. */
  failure(): FixpointError | undefined;
  /** Resolves when nothing runs; a job that waits after a failure doesn't count as running. */
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

  /** A function, so that TypeScript doesn't narrow `again`, which changes while a job runs. */
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

/** Requests of callers to a job, and their answers. */
export interface Requests {
  /** Adds a request. Returns a function that reports whether it's still open. */
  add(): () => boolean;
  /** Returns a function that answers the requests so far; call it when a run began. */
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
