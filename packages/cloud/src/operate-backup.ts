/** Commands that let an operator back up a running server, and restore a backup. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import { isBackupId } from './backup/backup-place.ts';
import { makeBackup } from './backup/make-backup.ts';
import type { Manifest } from './backup/manifest.ts';
import { type OpenBackup, openBackup, verifyBackup } from './backup/read-backup.ts';
import type { CloudConfig } from './config.ts';
import type { BackupSecretConfig, BackupTarget } from './config-backup.ts';
import { createIdentityTables } from './identity/identity-tables.ts';
import { syncFolder } from './objects/disk-objects.ts';
import { absentAsUndefined } from './objects/drafts.ts';
import { folderInventory } from './objects/folder-inventory.ts';
import { fillAll, type ObjectInventory } from './objects/inventory.ts';
import { lacksLedgers } from './operate-check.ts';
import { openExisting } from './operate-tables.ts';
import { restoreSecrets } from './secrets.ts';
import { inventoryOf, placeOf, readBackupSecret } from './start-backups.ts';
import { makeDataFolder, UNFINISHED } from './start-stores.ts';
import { BACKUP_TABLES } from './tables/backup/backup-tables.ts';
import {
  fillTables,
  isKnownMigration,
  requireKnownTables,
  type TableRows,
} from './tables/backup/fill-tables.ts';
import { openTables } from './tables/open-tables.ts';
import { isEmptyDatabase } from './tables/postgres.ts';

/** A backup, as commands report it. */
export interface BackupSummary {
  readonly id: string;
  /** The backup contains every write that was acknowledged before this time (ISO text). */
  readonly moment: string;
  readonly seconds: number;
  readonly rows: number;
  readonly objects: number;
  /** Size of the backup. */
  readonly bytes: number;
  /** Number of objects that rows name and that the store lacked. */
  readonly missing: number;
  /** Number of objects that a restore couldn't store. */
  readonly skipped: number;
  /** Identifies the server that the backup is of. */
  readonly server: string;
  readonly isEncrypted: boolean;
}

const summaryOf = (manifest: Manifest): BackupSummary => ({
  id: manifest.id,
  moment: manifest.moment,
  seconds: (Date.parse(manifest.finished) - Date.parse(manifest.moment)) / 1000,
  rows: Object.values(manifest.rows).reduce((sum, count) => sum + count, 0),
  objects: manifest.objectCount,
  bytes: manifest.parts.reduce((sum, { bytes }) => sum + bytes, 0),
  missing: manifest.missing,
  skipped: manifest.skipped,
  server: manifest.server,
  isEncrypted: manifest.encryption !== null,
});

/**
 * Backs up a server, which may run. Resolves when the backup is complete and durable.
 * @throws FixpointError CONFIG_INVALID when there is no server of this version, or no place,
 * CONFLICT when another backup runs
 */
export async function backUp(
  config: CloudConfig,
  target: BackupTarget,
  secret: BackupSecretConfig | undefined,
): Promise<BackupSummary> {
  const place = await placeOf(config, target);
  const key = await readBackupSecret(secret);
  const { tables, secrets } = await openExisting(config);
  const objects = inventoryOf(config);
  try {
    if (await lacksLedgers(tables.db, objects))
      throw new FixpointError(
        'CONFIG_INVALID',
        'the store has objects, but the tables have no databases: check FIXPOINT_DATA, DATABASE_URL and OBJECT_STORE',
      );
    const parts = {
      tables,
      objects,
      secrets,
      place,
      secret: key,
      now: () => Date.now(),
    };
    return summaryOf(await makeBackup(parts));
  } finally {
    await tables.db.destroy();
  }
}

/**
 * Reads a whole backup, and checks it.
 * @throws FixpointError NOT_FOUND, CORRUPT, FORMAT_NEWER, KEY_INVALID
 */
export async function verify(
  config: CloudConfig,
  target: BackupTarget,
  secret: BackupSecretConfig | undefined,
): Promise<BackupSummary> {
  return summaryOf((await openWhole(config, target, secret)).manifest);
}

/**
 * Restores a backup into an empty data folder, or an empty database and bucket. Checks the whole
 * backup first, and writes nothing if it isn't right.
 * @param target a backup, or a place of backups, of which the newest complete one is restored
 * @throws FixpointError NOT_FOUND, CORRUPT, FORMAT_NEWER, KEY_INVALID, CONFIG_INVALID when the
 * backup doesn't fit the configuration, CONFLICT when there is already data
 */
export async function restore(
  config: CloudConfig,
  target: BackupTarget,
  secret: BackupSecretConfig | undefined,
): Promise<BackupSummary> {
  const data = resolve(config.data);
  const objects = inventoryOf(config);
  const backup = await openWhole(config, target, secret);
  requireFit(config, objects, backup.manifest);
  await requireEmpty(config, data, objects);
  await makeDataFolder(data);
  const mark = join(data, UNFINISHED);
  await writeFile(mark, `${backup.manifest.id}\n`, { mode: 0o600 });
  await syncFolder(data);
  await fill(config, data, objects, backup);
  await rm(mark);
  await syncFolder(data);
  return summaryOf(backup.manifest);
}

async function openWhole(
  config: CloudConfig,
  target: BackupTarget,
  secret: BackupSecretConfig | undefined,
): Promise<OpenBackup> {
  const { within, id } = oneBackupIn(target);
  const place = await placeOf(config, within);
  const backup = await openBackup(place, id, await readBackupSecret(secret), Date.now());
  requireKnownTables(Object.keys(backup.manifest.rows));
  await verifyBackup(backup, inventoryOfKind(config, backup.manifest).isPlace);
  return backup;
}

/** Objects of the kind that a backup contains, so that its places can be checked. */
const inventoryOfKind = (config: CloudConfig, { objects }: Manifest): Pick<ObjectInventory, 'isPlace'> =>
  objects === 'folder' || config.bucket === undefined
    ? folderInventory(resolve(config.data))
    : inventoryOf(config);

/** Splits the address of one backup into its place and its id. */
function oneBackupIn(target: BackupTarget): { within: BackupTarget; id: string | undefined } {
  const text = target.kind === 'folder' ? target.path : target.prefix;
  const parts = text.split('/');
  const last = parts.at(-1) ?? '';
  if (!isBackupId(last)) return { within: target, id: undefined };
  const rest = parts.slice(0, -1).join('/');
  return {
    within: target.kind === 'folder' ? { ...target, path: rest || '/' } : { ...target, prefix: rest },
    id: last,
  };
}

function requireFit(config: CloudConfig, { kind }: ObjectInventory, manifest: Manifest): void {
  const refuse = (why: string) => {
    throw new FixpointError('CONFIG_INVALID', `the backup ${manifest.id} ${why}`);
  };
  const tables = config.databaseUrl === undefined ? 'sqlite' : 'postgres';
  if (manifest.tables !== tables)
    refuse(
      tables === 'sqlite'
        ? 'is of a server with PostgreSQL: set DATABASE_URL to an empty database'
        : 'is of a server with SQLite: unset DATABASE_URL',
    );
  if (manifest.objects !== kind)
    refuse(
      kind === 'folder'
        ? 'is of a server with a bucket: set OBJECT_STORE to an empty bucket'
        : 'is of a server without a bucket: unset OBJECT_STORE',
    );
  if (!isKnownMigration(manifest.migration)) refuse('was made by a newer version: install that version');
}

/** @throws FixpointError CONFLICT when there is data that the restore would mix with the backup */
async function requireEmpty(config: CloudConfig, data: string, objects: ObjectInventory): Promise<void> {
  const refuse = (what: string) => {
    throw new FixpointError('CONFLICT', `${what}: restore into an empty one`);
  };
  const names = (await absentAsUndefined(readdir(data))) ?? [];
  if (names.length > 0) refuse(`FIXPOINT_DATA=${data} isn't empty`);
  if (objects.kind === 'bucket')
    for await (const _ of objects.places()) return refuse("the bucket of OBJECT_STORE isn't empty");
  if (config.databaseUrl !== undefined && !(await isEmptyDatabase(config.databaseUrl, BACKUP_TABLES)))
    refuse('the database at DATABASE_URL has tables of a server');
}

/**
 * Creates the tables first, with a mark that lasts until all rows are inserted. So no process can
 * start with these stores, even one with another data folder.
 */
async function fill(
  config: CloudConfig,
  data: string,
  objects: ObjectInventory,
  { manifest, records }: OpenBackup,
): Promise<void> {
  const secrets = await restoreSecrets(data, await secretsIn(records()));
  const how = { restoreUpTo: manifest.migration };
  const tables = await openTables(config.databaseUrl, data, () => undefined, how);
  try {
    if (objects.kind === 'folder') await mkdir(join(data, 'objects'), { mode: 0o700 });
    await fillAll(objects, objectsIn(records()));
    await tables.alone(async () => {
      await createIdentityTables({ db: tables.db, database: tables.kind, secrets: secrets.auth });
      await fillTables(tables, rowsIn(records()));
    });
  } finally {
    await tables.db.destroy();
  }
}

async function secretsIn(records: ReturnType<OpenBackup['records']>): Promise<string> {
  for await (const record of records) if (record.is === 'secrets') return record.text;
  return '';
}

async function* objectsIn(records: ReturnType<OpenBackup['records']>) {
  for await (const record of records) if (record.is === 'object') yield record;
}

/** Rows come before objects, so most parts needn't be read again. */
async function* rowsIn(records: ReturnType<OpenBackup['records']>): AsyncIterable<TableRows> {
  for await (const record of records)
    if (record.is === 'rows') yield record;
    else if (record.is === 'object') return;
}
