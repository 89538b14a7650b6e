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
      // Timers would be slowed down in hidden tabs; messages are not.
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(undefined);
    }),
};

export const systemRandom: Random = { bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) };
