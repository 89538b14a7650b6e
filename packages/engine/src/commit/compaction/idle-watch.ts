import type { Time } from '../../ports/time.ts';

const LOOK_MS = 250;
/** Number of checks without a write after which a database is idle: one second. */
const QUIET_LOOKS = 4;

export interface IdleWatch {
  /** Records a write or a merge. */
  stirred(): void;
  stop(): void;
}

interface IdleWork {
  /** Returns whether to run the work when nobody has written for a while. */
  isWorthwhile(): boolean;
  /** Returns whether the work can't wait for writers to pause. */
  isOverdue(): boolean;
  do(): Promise<unknown>;
}

/** Runs work when the database is idle or the work is overdue, one run at a time. */
export function watchForIdleness(time: Time, work: IdleWork): IdleWatch {
  let cancel: (() => void) | undefined;
  let isWorking = false;
  let stirs = 0;
  let isStopped = false;

  function wait(quietBefore = 0): void {
    const seen = stirs;
    cancel = time.after(LOOK_MS, () => {
      cancel = undefined;
      const quiet = stirs === seen ? quietBefore + 1 : 0;
      if (quiet < QUIET_LOOKS && !work.isOverdue()) return wait(quiet);
      isWorking = true;
      void work.do().finally(() => {
        isWorking = false;
      });
    });
  }

  return {
    stirred: () => {
      stirs++;
      if (cancel === undefined && !isWorking && !isStopped && work.isWorthwhile()) wait();
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}
