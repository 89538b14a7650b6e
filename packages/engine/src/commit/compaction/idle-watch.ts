import type { Time } from '../../ports/time.ts';

const LOOK_MS = 250;
/** One second. */
const QUIET_LOOKS = 4;
/**
 * Number of checks after which overdue work no longer waits for a pause of a sync: five seconds. A
 * sync needs the processor itself, and somebody usually reads the data when it ends.
 */
const SYNC_LOOKS = 20;

export interface IdleWatch {
  /**
   * Records a write or a step of a sync. Even overdue work waits a while after a step of a sync.
   */
  stirred(by: 'write' | 'sync'): void;
  stop(): void;
}

interface IdleWork {
  /** Returns whether to run the work when nobody has written for a while. */
  isWorthwhile(): boolean;
  /** Returns whether the work can't wait for writers to pause. */
  isOverdue(): boolean;
  do(): Promise<unknown>;
}

/**
 * Runs work when the database is idle or the work is overdue, one run at a time.
 * @param quietLooks number of checks without a write after which the database is idle
 */
export function watchForIdleness(time: Time, work: IdleWork, quietLooks = QUIET_LOOKS): IdleWatch {
  let cancel: (() => void) | undefined;
  let isWorking = false;
  let stirs = 0;
  let isStopped = false;
  /** Whether a write was recorded since this watch began to wait. */
  let isWritten = false;

  function wait(quietBefore = 0, looks = 1): void {
    const seen = stirs;
    cancel = time.after(LOOK_MS, () => {
      cancel = undefined;
      const quiet = stirs === seen ? quietBefore + 1 : 0;
      const isUrgent = (isWritten || looks >= SYNC_LOOKS) && work.isOverdue();
      if (quiet < quietLooks && !isUrgent) return wait(quiet, looks + 1);
      isWorking = true;
      void work.do().finally(() => {
        isWorking = false;
      });
    });
  }

  return {
    stirred: (by) => {
      stirs++;
      isWritten = by === 'write' || (isWritten && cancel !== undefined);
      if (cancel === undefined && !isWorking && !isStopped && work.isWorthwhile()) wait();
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}
