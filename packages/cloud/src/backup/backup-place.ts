/** A folder or bucket that contains backups. Each backup has a folder of its own there. */
import { randomBytes } from 'node:crypto';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Bucket } from '../objects/bucket.ts';
import { keysOf, putOnce } from '../objects/bucket-inventory.ts';
import { makeFolder, syncFolder } from '../objects/disk-objects.ts';
import { absentAsUndefined } from '../objects/drafts.ts';
import { openObject } from '../objects/s3-objects.ts';
import { bytesOf } from '../objects/stored-objects.ts';

/** Name of the file that is written last, and without which a backup isn't complete. */
export const MANIFEST = 'manifest.json';
const ID = /^fixpoint-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z-[0-9a-f]{8}$/;

export interface BackupPlace {
  /** Returns the ids of all backups, including incomplete ones, oldest first. */
  ids(): Promise<string[]>;
  /** Writes a new file of a backup, and resolves when it is durable. */
  write(id: string, name: string, bytes: Buffer): Promise<void>;
  read(id: string, name: string): Promise<Buffer | undefined>;
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
    ids: async () => ((await absentAsUndefined(readdir(folder))) ?? []).filter(isBackupId).sort(),
    write: async (id, name, bytes) => {
      const path = join(folder, id, name);
      await makeFolder(dirname(path));
      const draft = `${path}.draft`;
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, path);
      await syncFolder(dirname(path));
    },
    read: (id, name) => absentAsUndefined(readFile(join(folder, id, name))),
    remove: async (id) => {
      await rm(join(folder, id, MANIFEST), { force: true });
      await rm(join(folder, id), { recursive: true, force: true });
    },
  };
}

export function bucketPlace(bucket: Bucket, prefix: string): BackupPlace {
  const base = prefix === '' ? '' : `${prefix}/`;
  return {
    ids: () => idsIn(bucket, base),
    write: (id, name, bytes) => putOnce(bucket, `${base}${id}/${name}`, bytes),
    read: async (id, name) => {
      const found = await openObject(bucket, `${base}${id}/${name}`);
      return found && bytesOf(found);
    },
    remove: async (id) => {
      await bucket.remove(`${base}${id}/${MANIFEST}`);
      for await (const key of keysOf(bucket, `${base}${id}/`)) await bucket.remove(key);
    },
  };
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
