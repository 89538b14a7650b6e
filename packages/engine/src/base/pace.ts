/** Long work in slices, between which everything else gets its turn. */
export interface Pace {
  /** Whether the slice is over. Cheap. */
  isDue(): boolean;
  /** Lets others go first; then a new slice begins. */
  rest(): Promise<void>;
}

/** @param turn resolves in a later turn of the event loop */
export function createPace(now: () => number, turn: () => Promise<void>, sliceMs: number): Pace {
  let endMs = now() + sliceMs;
  return {
    isDue: () => now() >= endMs,
    rest: async () => {
      await turn();
      endMs = now() + sliceMs;
    },
  };
}

/** Work that does not stop. */
export const WITHOUT_REST: Pace = { isDue: () => false, rest: async () => undefined };
