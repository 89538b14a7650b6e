/**
 * Makes backups on a schedule. All processes of a cloud look at the place of the backups, and the
 * first one that finds the newest backup too old makes the next one.
 */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { createPeriodicSweep, type PeriodicSweep } from '../maintenance/periodic-sweep.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { UsedPlace } from '../tables/backup/used-places.ts';
import type { BackupSecret } from './backup-keys.ts';
import type { BackupPlace } from './backup-place.ts';
import type { Manifest } from './manifest.ts';
import { createBackupFinder } from './read-backup.ts';
import { removeOld } from './retention.ts';

const LOOK_MS = 300_000;
const HOUR_MS = 3_600_000;

export interface ScheduleParts {
  readonly place: BackupPlace;
  readonly usedPlace: UsedPlace;
  /** Identifies the server: see {@link Manifest}. */
  readonly server: string;
  /** Encrypts the backups. With it, backups that it didn't encrypt don't count. */
  readonly secret: BackupSecret | undefined;
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
  const { place, usedPlace, server, secret, hours, make, metrics, now, note, report } = parts;
  const outcomes = metrics.counter(
    'fixpoint_backups_total',
    'Scheduled backups',
    ['outcome'],
    ['complete', 'incomplete', 'failed'].map((outcome) => ({ outcome })),
  );
  metrics.gauge('fixpoint_backup_interval_seconds', 'Time between backups', () => hours * 3600);
  const record = createFigures(metrics);
  const find = createBackupFinder(place, server, secret);
  const everyMs = hours * HOUR_MS;
  const failed = { count: 0, at: 0 };
  let blockedSince: number | undefined;

  async function makeIfDue(): Promise<void> {
    const [newest] = await find(now());
    if (newest === undefined) await requireFilledPlace(parts);
    else record(newest);
    // A minute less, because the pass before the hour would otherwise delay each backup.
    if (newest === undefined || now() - Date.parse(newest.moment) >= everyMs - HOUR_MS / 60) await makeOne();
    failed.count = 0;
    blockedSince = undefined;
  }

  async function makeOne(): Promise<void> {
    const made = await make();
    await usedPlace.use();
    record(made);
    const isWhole = made.missing + made.skipped === 0;
    outcomes({ outcome: isWhole ? 'complete' : 'incomplete' });
    note({ backup: made.id, ...sizesOf(made) });
    if (!isWhole)
      report(
        new Error(
          `the backup ${made.id} lacks ${made.missing + made.skipped} objects that the server should have: run fixpoint check`,
        ),
      );
    await removeOld(parts, await find(now())).catch(report);
  }

  async function pass(): Promise<void> {
    // Backups that fail must not occupy the server all the time.
    const waitMs = failed.count === 0 ? 0 : Math.min(everyMs, LOOK_MS * 2 ** failed.count);
    if (Math.abs(now() - failed.at) < waitMs) return;
    try {
      await makeIfDue();
    } catch (cause) {
      if (isFixpointError(cause, 'CONFLICT')) {
        // Another process makes the backup, unless this lasts too long.
        blockedSince ??= now();
        if (now() - blockedSince <= everyMs) return;
      }
      failed.count += 1;
      failed.at = now();
      outcomes({ outcome: 'failed' });
      throw cause;
    }
  }

  return createPeriodicSweep(LOOK_MS, pass, report);
}

/**
 * Rejects an empty place if this server has made backups there.
 * @throws FixpointError CONFIG_INVALID
 */
async function requireFilledPlace({ place, usedPlace }: ScheduleParts): Promise<void> {
  if ((await place.ids()).length === 0 && (await usedPlace.isUsed()))
    throw new FixpointError(
      'CONFIG_INVALID',
      'the place of the backups is empty, although this server has made backups there: mount its disk. If you emptied it yourself, run fixpoint backup once',
    );
}

/** Creates the metrics of the newest backup. Returns the function that sets them. */
function createFigures(metrics: Metrics): (manifest: Manifest) => void {
  const last = { moment: 0, seconds: 0, bytes: 0, missing: 0 };
  metrics.gauge('fixpoint_backup_moment_seconds', 'Unix time of the newest backup', () => last.moment);
  metrics.gauge('fixpoint_backup_duration_seconds', 'Duration of the newest backup', () => last.seconds);
  metrics.gauge('fixpoint_backup_bytes', 'Size of the newest backup', () => last.bytes);
  metrics.gauge(
    'fixpoint_backup_missing_objects',
    'Objects that the newest backup should have and lacks',
    () => last.missing,
  );
  return (manifest) => {
    const { moment, bytes, seconds, missing, skipped } = sizesOf(manifest);
    Object.assign(last, { moment: Date.parse(moment) / 1000, bytes, seconds, missing: missing + skipped });
  };
}

const sizesOf = ({ moment, finished, objectCount, missing, skipped, rows, parts }: Manifest) => ({
  moment,
  seconds: (Date.parse(finished) - Date.parse(moment)) / 1000,
  bytes: parts.reduce((sum, part) => sum + part.bytes, 0),
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  objects: objectCount,
  missing,
  skipped,
});
