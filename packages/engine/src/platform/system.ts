import type { Random } from '../ports/random.ts';
import type { Time } from '../ports/time.ts';

export const systemTime: Time = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) };
