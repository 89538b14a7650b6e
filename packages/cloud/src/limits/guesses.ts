/**
 * Limits how many different secrets one network can try. Repeating the same one is free: an
 * application that waits for its token polls about once a millisecond, and an answer of 429 would
 * end its wait.
 */
import { networksOf } from './network.ts';
import { RateLimited } from './throttle.ts';

const KNOWN_MAX = 5000;

export interface Guesses {
  /** @throws RateLimited when the network recently tried too many others */
  allow(address: string, secret: string): void;
}

export function createGuesses(times: number, seconds: number, now: () => number): Guesses {
  const known = new Map<string, { readonly endsAt: number; readonly tried: Set<string> }>();
  return {
    allow: (address, secret) => {
      const at = now();
      const { own } = networksOf(address);
      let window = known.get(own);
      if (window === undefined || window.endsAt <= at) {
        known.delete(own);
        window = { endsAt: at + seconds * 1000, tried: new Set() };
        known.set(own, window);
        // The oldest window ends first in any case.
        if (known.size > KNOWN_MAX) for (const oldest of known.keys()) if (known.delete(oldest)) break;
      }
      if (window.tried.has(secret)) return;
      if (window.tried.size >= times) throw new RateLimited(window.endsAt - at);
      window.tried.add(secret);
    },
  };
}
