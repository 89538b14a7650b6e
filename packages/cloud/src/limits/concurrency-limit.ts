import { RateLimited } from './rate-limiter.ts';

/**
 * Limits CPU-bound work: a few calls run at once, a few wait, and the rest are rejected with a time
 * to retry.
 */
export interface Turns {
  /** @throws RateLimited when too many calls already wait */
  run<T>(work: () => Promise<T>): Promise<T>;
}

const COME_BACK_MS = 2000;

export function createTurns(atOnce: number, waitingMax: number): Turns {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    run: async (work) => {
      if (running >= atOnce) {
        if (waiting.length >= waitingMax) throw new RateLimited(COME_BACK_MS);
        // A call that finishes passes its turn to this call, so `running` doesn't change.
        await new Promise<void>((resolve) => waiting.push(resolve));
      } else running += 1;
      try {
        return await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
