/**
 * What pollers have seen. Over HTTP a client repeats one request, and ends it after an error: that it asks again says that it got the answer before. What
 * is forgotten here is sent again, which harms nobody. Clients that send a cursor of their own need none of this.
 */
const POLLS_MAX = 10_000;

export interface Polls {
  /** Where the next answer of this poll begins. */
  next(poll: string): number;
  answered(poll: string, cursor: number): void;
}

export function createPolls(): Polls {
  const cursors = new Map<string, number>();
  return {
    next: (poll) => cursors.get(poll) ?? 0,
    answered: (poll, cursor) => {
      cursors.delete(poll);
      cursors.set(poll, cursor);
      if (cursors.size > POLLS_MAX) for (const oldest of cursors.keys()) return void cursors.delete(oldest);
    },
  };
}
