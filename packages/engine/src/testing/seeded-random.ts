import type { Random } from '../ports/random.ts';

export interface SeededRandom extends Random {
  /** Returns a number from 0 up to, but not including, 1. */
  fraction(): number;
  /** Returns an integer from 0 up to, but not including, `end`. */
  below(end: number): number;
}

/** Creates pseudorandom numbers from a seed (mulberry32). Never use them for keys. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const fraction = () => next() / 0x1_0000_0000;
  return {
    bytes: (count) => Uint8Array.from({ length: count }, () => next() & 0xff),
    fraction,
    below: (end) => Math.floor(fraction() * end),
  };
}
