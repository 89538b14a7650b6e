/**
 * Remembers since when this browser has had unsent changes. The time survives a reload, because
 * unsent changes do, too.
 */
import type { Attached, SyncStatus } from 'fixpoint';

const keyOf = (database: string): string => `fixpoint:unsent-since:${database}`;

/** Saves the time of the first unsent change, and deletes the time once all changes are sent. */
export function followUnsent(database: string, attached: Pick<Attached, 'status' | 'onStatus'>): void {
  const note = ({ state, toSend }: SyncStatus) => {
    // The browser removed the database with its unsent changes. Keep the time: the page shows it
    // with this loss.
    if (state === 'store-lost') return;
    try {
      if (toSend === 0) localStorage.removeItem(keyOf(database));
      else if (localStorage.getItem(keyOf(database)) === null)
        localStorage.setItem(keyOf(database), new Date().toISOString());
    } catch {
      // Without storage, the time is not shown.
    }
  };
  note(attached.status());
  attached.onStatus(note);
}

/** Deletes the time, because the unsent changes are gone. */
export function forgetUnsent(database: string): void {
  try {
    localStorage.removeItem(keyOf(database));
  } catch {
    // Nothing was saved.
  }
}

/**
 * Returns the time as ISO text; undefined when all changes are sent, or when the time is unknown.
 */
export function unsentSince(database: string): string | undefined {
  try {
    return localStorage.getItem(keyOf(database)) ?? undefined;
  } catch {
    return undefined;
  }
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Returns the age as a number and one unit, such as `3 days`. */
export function ageText(since: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(since));
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(ms / unitMs);
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return 'less than a minute';
}
