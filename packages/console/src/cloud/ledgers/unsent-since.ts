/**
 * Remembers since when this browser has had unsent changes. It survives reloads, because a stuck
 * queue outlives the page that filled it.
 */
import type { Attached, SyncStatus } from 'fixpoint';

const keyOf = (database: string): string => `fixpoint:unsent-since:${database}`;

/** Saves the time when changes start waiting, and deletes it once all are sent. */
export function followUnsent(database: string, attached: Pick<Attached, 'status' | 'onStatus'>): void {
  const note = ({ state, toSend }: SyncStatus) => {
    // The unsent changes were lost with the storage, and the interface reports that.
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

/** Returns ISO text; undefined when nothing is waiting, or the time is unknown. */
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

/** Returns the age in one unit. */
export function ageText(since: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(since));
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(ms / unitMs);
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return 'less than a minute';
}
