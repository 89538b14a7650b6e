/** Makes backups of a running server, and opens their place. */
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { ListedBackups } from './admin/handler.ts';
import type { BackupSecret } from './backup/backup-keys.ts';
import { type BackupPlace, bucketPlace, folderPlace } from './backup/backup-place.ts';
import { makeBackup } from './backup/make-backup.ts';
import { type Manifest, serverOf } from './backup/manifest.ts';
import { createBackupFinder } from './backup/read-backup.ts';
import { scheduleBackups } from './backup/scheduled-backups.ts';
import type { CloudConfig } from './config.ts';
import type { BackupSecretConfig, BackupTarget } from './config-backup.ts';
import { openBucket } from './objects/bucket.ts';
import { bucketInventory } from './objects/bucket-inventory.ts';
import { absentAsUndefined } from './objects/drafts.ts';
import { folderInventory } from './objects/folder-inventory.ts';
import type { ObjectInventory } from './objects/inventory.ts';
import { secretsText } from './secrets.ts';
import type { Ground, Stores } from './start-stores.ts';
import { restoredAs } from './tables/backup/fill-tables.ts';
import { usedPlace } from './tables/backup/used-places.ts';

const now = () => Date.now();

/**
 * Returns the place of backups. It must not be among the data of the server.
 * @throws FixpointError CONFIG_INVALID
 */
export async function placeOf({ data, bucket }: CloudConfig, target: BackupTarget): Promise<BackupPlace> {
  if (target.kind === 'bucket') {
    if (bucket !== undefined && isSameBucket(target.bucket.url, bucket.url))
      throw new FixpointError('CONFIG_INVALID', 'backups need another bucket than OBJECT_STORE');
    return bucketPlace(openBucket(target.bucket, now), target.prefix);
  }
  const [path, own] = await Promise.all([realPath(target.path), realPath(resolve(data))]);
  if (`${path}/`.startsWith(`${own}/`))
    throw new FixpointError('CONFIG_INVALID', 'backups need a folder outside of FIXPOINT_DATA');
  return folderPlace(target.path);
}

const textOf = (target: BackupTarget): string =>
  target.kind === 'folder' ? target.path : `${target.bucket.url}/${target.prefix}`;

/** Resolves symbolic links, also in the path of a folder that doesn't exist. */
async function realPath(path: string): Promise<string> {
  const found = await absentAsUndefined(realpath(path));
  return found ?? (path === dirname(path) ? path : join(await realPath(dirname(path)), basename(path)));
}

/** A bucket has two addresses: its name is in the path, or at the beginning of the host. */
function isSameBucket(one: string, other: string): boolean {
  const hostStyle = (text: string) => {
    const { protocol, host, pathname } = new URL(text);
    const [, path = '', name = ''] = /^(.*)\/([^/]+)$/.exec(pathname) ?? [];
    return name === '' ? `${protocol}//${host}` : `${protocol}//${name}.${host}${path}`;
  };
  return hostStyle(one) === hostStyle(other);
}

export const inventoryOf = ({ data, bucket }: CloudConfig): ObjectInventory =>
  bucket === undefined
    ? folderInventory(join(resolve(data), 'objects'))
    : bucketInventory(openBucket(bucket, now));

/** @throws FixpointError CONFIG_INVALID when the key file can't be used */
export async function readBackupSecret(
  config: BackupSecretConfig | undefined,
): Promise<BackupSecret | undefined> {
  if (config?.kind !== 'key') return config;
  const bytes = await absentAsUndefined(readFile(config.file));
  const text = bytes?.toString('latin1').trim() ?? '';
  if (/^[0-9a-f]{64}$/i.test(text)) return { kind: 'key', bytes: Buffer.from(text, 'hex') };
  if (bytes?.length === 32) return { kind: 'key', bytes };
  throw new FixpointError(
    'CONFIG_INVALID',
    `${config.file} must contain 32 random bytes, or 64 hexadecimal digits: openssl rand -hex 32`,
  );
}

/** Runs backups by schedule. */
export interface BackupSchedule {
  /** Lists the complete backups; undefined without a schedule. */
  readonly listed: ListedBackups | undefined;
  /** Makes a backup if one is due. Never rejects. */
  sweep(): Promise<void>;
  /** Interrupts the backup that is running. */
  stop(): Promise<void>;
}

const NO_SCHEDULE: BackupSchedule = {
  listed: undefined,
  sweep: async () => undefined,
  stop: async () => undefined,
};

/** @throws FixpointError CONFIG_INVALID when the place or the key of the backups can't be used */
export async function createBackups(
  { config, data, now, log, metrics, report }: Ground,
  { secrets, tables }: Stores,
): Promise<BackupSchedule> {
  const { backup } = config;
  if (backup === undefined) return NO_SCHEDULE;
  const secret = await readBackupSecret(backup.secret);
  const place = await placeOf(config, backup.to);
  const objects = inventoryOf(config);
  const text = JSON.stringify(secrets);
  const server = serverOf(text, await restoredAs(tables.db));
  const ending = new AbortController();
  const { signal } = ending;
  const schedule = scheduleBackups({
    place,
    usedPlace: usedPlace(tables.db, textOf(backup.to)),
    server,
    hours: backup.hours,
    keep: backup.keep,
    secret,
    make: async () => {
      // Read again, because commands rotate keys while the server runs.
      const current = (await secretsText(data)) ?? text;
      return makeBackup({ tables, objects, secrets: current, place, secret, now, signal });
    },
    metrics,
    now,
    note: (event) => log.info(event, 'backup complete'),
    report: (cause) => (signal.aborted ? undefined : report(cause)),
  });
  return {
    listed: listedBackups(createBackupFinder(place, server, secret), backup.hours, report),
    sweep: schedule.sweep,
    stop: async () => {
      ending.abort(new Error('the server stops'));
      await schedule.stop();
    },
  };
}

function listedBackups(
  find: ReturnType<typeof createBackupFinder>,
  everyHours: number,
  report: (error: unknown) => void,
): ListedBackups {
  let known: ReturnType<ListedBackups['known']> = { backups: [] };
  return {
    everyHours,
    refresh: async () => {
      try {
        known = { backups: (await find(now())).map(describeBackup) };
      } catch (cause) {
        report(cause);
        known = { ...known, problem: "The place of the backups doesn't answer. The log says why." };
      }
    },
    known: () => known,
  };
}

const describeBackup = ({ id, moment, finished, objectCount, missing, parts }: Manifest) => ({
  ...{ id, moment, finished, missing },
  objects: objectCount,
  bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0),
});
