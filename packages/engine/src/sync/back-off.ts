/**
 * Growing waits between tries, each randomly shortened so that clients of the same failed server
 * don't reconnect all at once.
 */
import type { Random } from '../ports/random.ts';

export interface BackOffPlan {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Number of consecutive tries after which waits grow beyond `mostMs`. */
  readonly patientAfter: number;
  readonly patientMostMs: number;
}

export interface BackOff {
  /** Returns how long to wait before the next try. */
  nextMs(): number;
  reset(): void;
}

export function createBackOff(
  random: Random,
  { firstMs, mostMs, patientAfter, patientMostMs }: BackOffPlan,
): BackOff {
  let tries = 0;
  return {
    nextMs: () => {
      const most =
        tries < patientAfter
          ? Math.min(mostMs, firstMs * 2 ** Math.min(tries, 30))
          : Math.min(patientMostMs, mostMs * 2 ** Math.min(tries - patientAfter + 1, 30));
      tries += 1;
      const chance = (random.bytes(1)[0] ?? 0) / 255;
      return Math.round(most * (0.5 + chance / 2));
    },
    reset: () => {
      tries = 0;
    },
  };
}
