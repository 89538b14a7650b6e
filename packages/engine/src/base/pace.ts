/** Long work in slices, between which everything else gets its turn. */
export interface Pace {
  /** Whether the slice is over. Cheap. */
  isDue(): boolean;
  /** Lets others go first; then a new slice begins. */
  rest(): Promise<void>;
}

/**
 * Long work behind short work: it rests until what goes on when it rests is done, however that
 * ends.
 */
export const paceBehind = (short: ReadonlySet<Promise<unknown>>, pace: Pace): Pace => ({
  isDue: () => short.size > 0 || pace.isDue(),
  rest: async () => {
    await Promise.allSettled(short);
    await pace.rest();
  },
});

/** Work that does not stop. */
export const WITHOUT_REST: Pace = { isDue: () => false, rest: async () => undefined };

/**
 * @param time `turn` resolves in a later turn of the event loop; where there is none, nobody waits
 * @param sliceMs how long a slice may be
 */
export function createPace({ now, turn }: { now(): number; turn?(): Promise<void> }, sliceMs: number): Pace {
  if (turn === undefined) return WITHOUT_REST;
  let endMs = now() + sliceMs;
  return {
    isDue: () => {
      const leftMs = endMs - now();
      // More than a slice is left only when the clock went back.
      return leftMs <= 0 || leftMs > sliceMs;
    },
    rest: async () => {
      await turn();
      endMs = now() + sliceMs;
    },
  };
}
