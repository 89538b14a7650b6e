/**
 * What pollers have seen. Over HTTP a client repeats one request, and ends it after an error: that it asks again says that it got the answer before. What
 * is forgotten here is sent again, which harms nobody. Clients that send a cursor of their own need none of this.
 */
import type { Place } from '../tables/metas.ts';

const POLLS_MAX = 10_000;

export interface Polls {
  /** Where the next answer of this poll begins. */
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
