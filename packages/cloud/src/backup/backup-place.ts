/** A folder or bucket that contains backups. Each backup has a folder of its own there. */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { Bucket } from '../objects/bucket.ts';
import { keysOf, putOnce } from '../objects/bucket-inventory.ts';
import { syncFolder } from '../objects/disk-objects.ts';
import { absentAsUndefined } from '../objects/drafts.ts';
import { openObject } from '../objects/s3-objects.ts';
import { bytesOf } from '../objects/stored-objects.ts';

/** Name of the file that is written last, and without which a backup isn't complete. */
export const MANIFEST = 'manifest.json';
/**
 * Name of the file that is written first and removed last. It identifies the server, so that no
 * other server removes an incomplete backup.
 */
export const OWNER = 'server';
const ID = /^fixpoint-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}$/;

export interface BackupPlace {
  /**
   * Returns the ids of all backups, including incomplete ones, oldest first.
   * @throws FixpointError CONFIG_INVALID when the place doesn't exist
   */
  ids(): Promise<string[]>;
  /**
   * Writes a new file of a backup, and resolves when it is durable.
   * @throws FixpointError CONFIG_INVALID when the place doesn't exist
   */
  write(id: string, name: string, bytes: Buffer): Promise<void>;
  /** @param bytesMax the longest file that a bucket may return */
  read(id: string, name: string, bytesMax: number): Promise<Buffer | undefined>;
  /** Returns the sizes of all files of a backup in bytes, by name. */
  sizes(id: string): Promise<ReadonlyMap<string, number>>;
  /** Removes a backup. It counts as incomplete as soon as anything of it is gone. */
  remove(id: string): Promise<void>;
}

/** Returns the id of a backup that starts now. Ids sort by time. */
export const newBackupId = (now: number): string =>
  `fixpoint-${new Date(now).toISOString().replace(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;

export const isBackupId = (text: string): boolean => ID.test(text);

/** Returns when the backup with this id started. */
export function startOfBackup(id: string): number {
  const [, year, month, day, hour, minute, second, ms] = ID.exec(id) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

export function folderPlace(folder: string): BackupPlace {
  return {
    ids: async () => {
      const names = (await absentAsUndefined(readdir(folder))) ?? refuseMissing(folder);
      return names.filter(isBackupId).sort();
    },
    write: async (id, name, bytes) => {
      const within = join(folder, id);
      await makeFolderIn(folder, within);
      const path = join(within, name);
      const draft = `${path}.draft`;
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
      await syncFolder(within);
    },
    read: (id, name) => absentAsUndefined(readFile(join(folder, id, name))),
    sizes: async (id) => {
      const sizes = new Map<string, number>();
      for (const name of (await absentAsUndefined(readdir(join(folder, id)))) ?? []) {
        const found = await absentAsUndefined(stat(join(folder, id, name)));
        if (found !== undefined) sizes.set(name, found.size);
      }
      return sizes;
    },
    remove: async (id) => {
      const within = join(folder, id);
      await rm(join(within, MANIFEST), { force: true });
      for (const name of (await absentAsUndefined(readdir(within))) ?? [])
        if (name !== OWNER) await rm(join(within, name), { recursive: true, force: true });
      await rm(within, { recursive: true, force: true });
    },
  };
}

/**
 * Creates the folder of one backup, but never the folder of all backups: if that is missing, it is
 * usually a disk that isn't mounted.
 */
async function makeFolderIn(folder: string, within: string): Promise<void> {
  try {
    await mkdir(within, { mode: 0o700 });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code === 'ENOENT') return refuseMissing(folder);
    throw cause;
  }
  await syncFolder(folder);
}

const refuseMissing = (folder: string): never => {
  throw new FixpointError(
    'CONFIG_INVALID',
    `the folder ${folder} of the backups doesn't exist: mount its disk, or create it`,
  );
};

export function bucketPlace(bucket: Bucket, prefix: string): BackupPlace {
  const base = prefix === '' ? '' : `${prefix}/`;
  return {
    ids: () => idsIn(bucket, base),
    write: (id, name, bytes) => putOnce(bucket, `${base}${id}/${name}`, bytes),
    read: async (id, name, bytesMax) => {
      const found = await openObject(bucket, `${base}${id}/${name}`, bytesMax);
      return found && bytesOf(found);
    },
    sizes: (id) => sizesIn(bucket, `${base}${id}/`),
    remove: async (id) => {
      await bucket.remove(`${base}${id}/${MANIFEST}`);
      for await (const key of keysOf(bucket, `${base}${id}/`))
        if (key !== `${base}${id}/${OWNER}`) await bucket.remove(key);
      await bucket.remove(`${base}${id}/${OWNER}`);
    },
  };
}

async function sizesIn(bucket: Bucket, prefix: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  let after: string | undefined;
  for (;;) {
    const some = await bucket.sizes(prefix, after);
    if (some.size === 0) return sizes;
    for (const [key, bytes] of some) {
      sizes.set(key.slice(prefix.length), bytes);
      after = key;
    }
  }
}

/** Lists one key of each backup, because a backup may have thousands of keys. */
async function idsIn(bucket: Bucket, base: string): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const [first] = await bucket.list(`${base}fixpoint-`, after);
    if (first === undefined) return ids;
    const id = first.slice(base.length).split('/')[0] ?? '';
    if (isBackupId(id)) ids.push(id);
    // The next character after a slash, so that all other keys of this backup are skipped.
    after = `${base}${id}0`;
  }
}
