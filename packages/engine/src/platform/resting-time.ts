import type { Time } from '../ports/time.ts';
import { systemTime } from './system.ts';

/** Timers for polling that don't keep an otherwise idle process of Node alive. */
export const restingTime: Time = {
  ...systemTime,
  after: (ms, fn) => {
    const timer: unknown = setTimeout(fn, ms);
    // Timers of browsers are numbers.
    if (typeof timer === 'object') (timer as { unref?(): void }).unref?.();
    return () => clearTimeout(timer as number);
  },
};
