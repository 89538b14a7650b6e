/** Since when something waits in this browser to be sent: kept over reloads, since a queue that is stuck outlives the page that filled it. */
import type { Attached, SyncStatus } from 'fixpoint';

const keyOf = (database: string): string => `fixpoint:unsent-since:${database}`;

/** Notes the moment from which on something waits, and forgets it when all is sent. */
export function followUnsent(database: string, attached: Pick<Attached, 'status' | 'onStatus'>): void {
  const note = ({ state, toSend }: SyncStatus) => {
    // What waited is gone with the storage, and the user is told so.
    if (state === 'store-lost') return;
    try {
      if (toSend === 0) localStorage.removeItem(keyOf(database));
      else if (localStorage.getItem(keyOf(database)) === null)
        localStorage.setItem(keyOf(database), new Date().toISOString());
    } catch {
      // Without storage it is not told since when.
    }
  };
  note(attached.status());
  attached.onStatus(note);
}

/** Forgets it: what waited is gone. */
export function forgetUnsent(database: string): void {
  try {
    localStorage.removeItem(keyOf(database));
  } catch {
    // Nothing was noted.
  }
}

/** ISO text; undefined when nothing waits or it is not known. */
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

/** How long that is, in one unit. */
export function ageText(since: string, nowMs: number): string {
  const ms = Math.max(0, nowMs - Date.parse(since));
  for (const [unit, unitMs] of UNITS) {
    const count = Math.floor(ms / unitMs);
    if (count > 0) return `${count} ${unit}${count === 1 ? '' : 's'}`;
  }
  return 'less than a minute';
}
