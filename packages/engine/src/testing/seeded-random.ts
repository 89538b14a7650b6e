import type { Random } from '../ports/random.ts';

export interface SeededRandom extends Random {
  /** From 0 up to 1, without it. */
  fraction(): number;
  /** A whole number from 0 up to `end`, without it. */
  below(end: number): number;
}

/**
 * Chance that a seed decides: the same seed, the same run (mulberry32; not for keys that guard
 * anything).
 */
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
