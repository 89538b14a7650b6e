/**
 * Makes backups on a schedule. All processes of a cloud look at the place of the backups, and the
 * first one that finds the newest backup too old makes the next one.
 */
import { isFixpointError } from '@fixpoint/protocol';
import { createPeriodicSweep, type PeriodicSweep } from '../maintenance/periodic-sweep.ts';
import type { Metrics } from '../observe/metrics.ts';
import { type BackupPlace, MANIFEST, startOfBackup } from './backup-place.ts';
import type { Manifest } from './manifest.ts';
import { backupsOf } from './read-backup.ts';

const LOOK_MS = 300_000;
const HOUR_MS = 3_600_000;
/** Milliseconds after which a backup without a manifest was left by a killed process. */
const ABANDONED_MS = 24 * HOUR_MS;

export interface ScheduleParts {
  readonly place: BackupPlace;
  /** Identifies the server: see {@link Manifest}. */
  readonly server: string;
  readonly hours: number;
  readonly keep: number;
  /** Makes a backup. */
  readonly make: () => Promise<Manifest>;
  readonly metrics: Metrics;
  readonly now: () => number;
  /** Logs an event. */
  readonly note: (event: object) => void;
  readonly report: (error: unknown) => void;
}

export function scheduleBackups(parts: ScheduleParts): PeriodicSweep {
  const { place, server, hours, make, metrics, now, note, report } = parts;
  const outcomes = metrics.counter('fixpoint_backups_total', 'Scheduled backups', ['outcome']);
  const last = { moment: 0, seconds: 0, bytes: 0 };
  metrics.gauge('fixpoint_backup_moment_seconds', 'Unix time of the newest backup', () => last.moment);
  metrics.gauge('fixpoint_backup_duration_seconds', 'Duration of the newest backup', () => last.seconds);
  metrics.gauge('fixpoint_backup_bytes', 'Size of the newest backup', () => last.bytes);
  const record = (manifest: Manifest) => {
    const { moment, bytes, seconds } = sizesOf(manifest);
    Object.assign(last, { moment: Date.parse(moment) / 1000, bytes, seconds });
  };

  async function makeDue(): Promise<void> {
    const [newest] = await backupsOf(place, server);
    if (newest !== undefined) record(newest);
    // A minute less, because the pass before the hour would otherwise delay each backup.
    if (newest !== undefined && now() - Date.parse(newest.moment) < hours * HOUR_MS - HOUR_MS / 60) return;
    try {
      const made = await make();
      record(made);
      outcomes({ outcome: 'complete' });
      note({ backup: made.id, ...sizesOf(made) });
      await removeOld(parts);
    } catch (cause) {
      // Another process makes the backup.
      if (isFixpointError(cause, 'CONFLICT')) return;
      outcomes({ outcome: 'failed' });
      throw cause;
    }
  }

  return createPeriodicSweep(LOOK_MS, makeDue, report);
}

const sizesOf = ({ moment, finished, objectCount, missing, rows, parts }: Manifest) => ({
  moment,
  seconds: (Date.parse(finished) - Date.parse(moment)) / 1000,
  bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  objects: objectCount,
  missing,
});

/**
 * Removes old backups of this server, and what killed processes left. Called after a new backup.
 */
async function removeOld({ place, server, keep, now }: ScheduleParts): Promise<void> {
  const complete = await backupsOf(place, server);
  for (const { id } of complete.slice(keep)) await place.remove(id);
  for (const id of await place.ids())
    if (now() - startOfBackup(id) > ABANDONED_MS && (await place.read(id, MANIFEST)) === undefined)
      await place.remove(id);
}
