import type { Time } from '../ports/time.ts';

/** Without a write for so long, a database is idle. */
const IDLE_MS = 1000;

export interface IdleWatch {
  /** Something was written. */
  stirred(): void;
  stop(): void;
}

interface IdleWork {
  /** Whether it should be done once nobody has written for a while. */
  isWorthwhile(): boolean;
  /** Whether it has become so much that it is done beside writers. */
  isOverdue(): boolean;
  do(): Promise<unknown>;
}

/** Does work, once at a time, when nobody is in its way or when it can't wait any longer. */
export function watchForIdleness(time: Time, work: IdleWork): IdleWatch {
  let cancel: (() => void) | undefined;
  let isWorking = false;
  let stirs = 0;
  let isStopped = false;

  function wait(): void {
    const seen = stirs;
    cancel = time.after(IDLE_MS, () => {
      cancel = undefined;
      if (stirs !== seen && !work.isOverdue()) return wait();
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
