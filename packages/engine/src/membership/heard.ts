/** How far the time that news claims may be ahead of its arrival. */
const AHEAD_MAX_MS = 600_000;

/** An entry, event or greeting of a person. */
export interface News {
  /** The time that its author claims, in milliseconds since 1970. */
  readonly claimedMs: number;
  /** When this device received it for the first time. */
  readonly receivedMs: number;
}

/** Returns when a person was heard last: the earlier time of each of their news counts (N3). */
export const heardAt = (news: readonly News[]): number | undefined =>
  news.length === 0
    ? undefined
    : news.reduce((last, { claimedMs, receivedMs }) => Math.max(last, Math.min(claimedMs, receivedMs)), 0);

/** Returns whether news claims a time that hadn't come yet when it arrived. */
export const isFromFuture = ({ claimedMs, receivedMs }: News): boolean =>
  claimedMs > receivedMs + AHEAD_MAX_MS;
