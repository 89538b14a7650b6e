/**
 * Counts what a first sync has sent and fetched, from the changes of its status. The status counts
 * archives, each with many documents; the console calls them parts.
 */
import type { SyncStatus } from 'fixpoint';

export interface SyncCounts {
  readonly sent: number;
  readonly fetched: number;
  readonly toSend: number;
  readonly toFetch: number;
}

export const NOTHING_COUNTED: SyncCounts = { sent: 0, fetched: 0, toSend: 0, toFetch: 0 };

/** Returns the counts after the next status. Work that appears later increases the total. */
export function countStatus(before: SyncCounts, status: Pick<SyncStatus, 'toSend' | 'toFetch'>): SyncCounts {
  const { toSend, toFetch } = status;
  return {
    sent: before.sent + Math.max(0, before.toSend - toSend),
    fetched: before.fetched + Math.max(0, before.toFetch - toFetch),
    toSend,
    toFetch,
  };
}

const counted = new WeakMap<object, { readonly status: SyncStatus; readonly counts: SyncCounts }>();

/**
 * Returns the counts since the first status of a sync, which all parts of the page share.
 * @param sync identifies the sync
 */
export function countsOf(sync: object, status: SyncStatus): SyncCounts {
  const before = counted.get(sync);
  if (before?.status === status) return before.counts;
  const counts = countStatus(before?.counts ?? NOTHING_COUNTED, status);
  counted.set(sync, { status, counts });
  return counts;
}

/** Returns the completed part, from 0 to 1; undefined while there is nothing to count. */
export function partDone({ sent, fetched, toSend, toFetch }: SyncCounts): number | undefined {
  const done = sent + fetched;
  const total = done + toSend + toFetch;
  return total === 0 ? undefined : done / total;
}

/** An estimate from less would jump. */
const LEAST_MS = 1000;

/** Returns how long the rest takes at the rate so far, in words; undefined while unknown. */
export function leftText(counts: SyncCounts, elapsedMs: number): string | undefined {
  const done = counts.sent + counts.fetched;
  const left = counts.toSend + counts.toFetch;
  if (done === 0 || left === 0 || elapsedMs < LEAST_MS) return undefined;
  const seconds = Math.ceil((left * elapsedMs) / done / 1000);
  if (seconds < 60) return `About ${seconds} ${seconds === 1 ? 'second' : 'seconds'} left`;
  const minutes = Math.ceil(seconds / 60);
  return `About ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`;
}

/** Returns the rate in parts per second; undefined while unknown. */
export function rateText({ sent, fetched }: SyncCounts, elapsedMs: number): string | undefined {
  const done = sent + fetched;
  if (done === 0 || elapsedMs < LEAST_MS) return undefined;
  const rate = (done * 1000) / elapsedMs;
  return `${rate < 10 ? rate.toFixed(1) : Math.round(rate).toLocaleString('en')} parts/s`;
}
