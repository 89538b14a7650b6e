import type { Time } from '../ports/time.ts';

const LOOK_MS = 250;
/** Without a write for so many looks, which is a second, a database is idle. */
const QUIET_LOOKS = 4;

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
