/** Splits long work into slices, so that other work can run between them. */
export interface Pace {
  /** Returns whether the slice is over. This call is cheap. */
  isDue(): boolean;
  /** Lets other work run, then begins a new slice. */
  rest(): Promise<void>;
}

/**
 * Makes long work wait for short work. A rest lasts until all short work that was running when the
 * rest began has settled.
 */
export const paceBehind = (short: ReadonlySet<Promise<unknown>>, pace: Pace): Pace => ({
  isDue: () => short.size > 0 || pace.isDue(),
  rest: async () => {
    await Promise.allSettled(short);
    await pace.rest();
  },
});

/** A pace without rests. */
export const WITHOUT_REST: Pace = { isDue: () => false, rest: async () => undefined };

/**
 * Creates a pace.
 * @param time `turn` resolves in a later turn of the event loop; without it, the work never rests
 * @param sliceMs the maximum length of a slice
 */
export function createPace({ now, turn }: { now(): number; turn?(): Promise<void> }, sliceMs: number): Pace {
  if (turn === undefined) return WITHOUT_REST;
  let endMs = now() + sliceMs;
  return {
    isDue: () => {
      const leftMs = endMs - now();
      // If more than a slice is left, the clock was set back. Then the slice is over, too.
      return leftMs <= 0 || leftMs > sliceMs;
    },
    rest: async () => {
      await turn();
      endMs = now() + sliceMs;
    },
  };
}
