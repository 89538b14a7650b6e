import type { Random } from '../ports/random.ts';
import type { Time } from '../ports/time.ts';

export const systemTime: Time = {
  now: () => Date.now(),
  after: (ms, fn) => {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
  turn: () =>
    new Promise((resolve) => {
      const { setImmediate } = globalThis as { setImmediate?: (fn: () => void) => void };
      if (setImmediate !== undefined) return setImmediate(resolve);
      // Browsers slow down timers in hidden tabs, but not messages.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    }),
};

/**
 * Random bytes are fetched in bulk: a call costs about the same for few bytes as for many, and each
 * write needs a few.
 */
const POOL_BYTES = 4096;
let pool = new Uint8Array();

export const systemRandom: Random = {
  bytes: (count) => {
    if (count > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(count));
    if (count > pool.length) pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
    const bytes = pool.slice(0, count);
    pool = pool.subarray(count);
    return bytes;
  },
};
