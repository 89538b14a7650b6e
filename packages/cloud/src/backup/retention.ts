/**
 * Removes old backups. A backup stays while every newer one has lost data that it has, so that a
 * server that loses objects or rows doesn't replace its good backups by bad ones.
 */
import { type BackupPlace, MANIFEST, OWNER, startOfBackup } from './backup-place.ts';
import { hasAllParts, type Manifest } from './manifest.ts';

const HOUR_MS = 3_600_000;
/** Milliseconds after which a backup without a manifest was left by a killed process. */
const ABANDONED_MS = 24 * HOUR_MS;
const OWNER_BYTES_MAX = 1000;

export interface RetentionParts {
  readonly place: BackupPlace;
  /** Identifies the server: see {@link Manifest}. */
  readonly server: string;
  /** Number of complete backups to keep. */
  readonly keep: number;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

/**
 * Removes old backups of this server, and what its killed processes left.
 * @param backups all backups of this server that have a manifest, newest first
 */
export async function removeOld(parts: RetentionParts, backups: readonly Manifest[]): Promise<void> {
  const { place, keep, report } = parts;
  const kept: Manifest[] = [];
  for (const backup of backups) {
    const isWhole = hasAllParts(backup, await place.sizes(backup.id));
    if (!isWhole) report(new Error(`the backup ${backup.id} lacks parts: it can't be restored`));
    if (kept.length >= keep && kept.some((newer) => replaces(newer, backup))) await place.remove(backup.id);
    else if (isWhole) {
      if (kept.length >= keep)
        report(
          new Error(
            `keeps the old backup ${backup.id}, because each newer one lacks more objects, or has less than half of its rows or objects: check the server, and remove this backup yourself if you don't need it`,
          ),
        );
      kept.push(backup);
    }
  }
  await removeLeftovers(parts);
}

/** Returns whether a newer backup has lost nothing, so that the older one isn't needed. */
const replaces = (newer: Manifest, older: Manifest): boolean =>
  newer.missing + newer.skipped <= older.missing + older.skipped &&
  2 * rowsOf(newer) >= rowsOf(older) &&
  2 * newer.objectCount >= older.objectCount;

const rowsOf = ({ rows }: Manifest): number => Object.values(rows).reduce((sum, count) => sum + count, 0);

async function removeLeftovers({ place, server, now }: RetentionParts): Promise<void> {
  for (const id of await place.ids()) {
    if (now() - startOfBackup(id) <= ABANDONED_MS || (await place.sizes(id)).has(MANIFEST)) continue;
    const owner = await place.read(id, OWNER, OWNER_BYTES_MAX);
    if (owner?.toString() === server) await place.remove(id);
  }
}
