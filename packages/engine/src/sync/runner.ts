/** Runs one job whenever there may be something to do: one run at a time, and again after a while when it failed. */
import type { FixpointError } from '@fixpoint/protocol';
import type { Platform } from '../ports/platform.ts';
import { type BackOffPlan, createBackOff } from './back-off.ts';
import { asFailure } from './failures.ts';

export interface Runner {
  /** There may be something to do. A job that waits after a failure is run early only when `now` is given. */
  wake(now?: 'now'): void;
  /** Why the last run failed, until one succeeds. */
  failure(): FixpointError | undefined;
  /** Resolves when nothing runs; a job that waits after a failure does not run. */
  settled(): Promise<void>;
  stop(): void;
}

/** @param ran is called after each run */
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

  /** Read through a function: it changes while a job runs. */
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
