import type { Time } from '../ports/time.ts';

/** Without a write for so long, a database is idle. */
const IDLE_MS = 1000;

export interface IdleWatch {
  /** Something was written. */
  stirred(): void;
  stop(): void;
}

/** Does work that is worth its time once nobody has written for a while. */
export function watchForIdleness(time: Time, isWorthwhile: () => boolean, work: () => void): IdleWatch {
  let cancel: (() => void) | undefined;
  let stirs = 0;
  let isStopped = false;

  function wait(): void {
    const seen = stirs;
    cancel = time.after(IDLE_MS, () => {
      cancel = undefined;
      if (isStopped) return;
      if (stirs !== seen) wait();
      else work();
    });
  }

  return {
    stirred: () => {
      stirs++;
      if (cancel === undefined && !isStopped && isWorthwhile()) wait();
    },
    stop: () => {
      isStopped = true;
      cancel?.();
    },
  };
}
