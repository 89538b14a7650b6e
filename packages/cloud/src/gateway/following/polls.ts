/**
 * Tracks the cursors of pollers. Over HTTP, a client repeats one request until an error, so a
 * repeated request shows that the client received the previous answer. A poll that was dropped here
 * gets its entries again, which is harmless. Clients that send a cursor don't need this.
 */
import type { Place } from '../../tables/sync/meta-rows.ts';

const POLLS_MAX = 10_000;

export interface Polls {
  /** Returns the cursor after which the next answer of this poll begins. */
  next(poll: string): Place;
  answered(poll: string, place: Place): void;
}

export function createPolls(): Polls {
  const places = new Map<string, Place>();
  return {
    next: (poll) => places.get(poll) ?? { cursor: 0 },
    answered: (poll, place) => {
      places.delete(poll);
      places.set(poll, place);
      if (places.size > POLLS_MAX) for (const oldest of places.keys()) return void places.delete(oldest);
    },
  };
}
