/** The contract of places for backups: a folder and a bucket behave in the same way. */
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../tests/cloud.fixture.ts';
import { openBucket } from '../objects/bucket.ts';
import { faultyBucket } from '../objects/memory-bucket.fixture.ts';
import {
  type BackupPlace,
  bucketPlace,
  folderPlace,
  isBackupId,
  MANIFEST,
  newBackupId,
  OWNER,
  startOfBackup,
} from './backup-place.ts';

const NOON = Date.UTC(2026, 10, 28, 12);
const MAX = 1000;

async function placeInBucket(): Promise<BackupPlace> {
  const { config } = await faultyBucket(() => 'pass');
  return bucketPlace(
    openBucket(config, () => NOON),
    'servers/one',
  );
}

const PLACES: readonly [string, () => Promise<BackupPlace>][] = [
  ['a folder', async () => folderPlace(await temporaryFolder())],
  ['a bucket', placeInBucket],
];

describe.each(PLACES)('%s as a place of backups', (_, open) => {
  test('returns the files that were written, and their sizes', async () => {
    const place = await open();
    const id = newBackupId(NOON);
    await place.write(id, OWNER, Buffer.from('me'));
    await place.write(id, 'part-000001', Buffer.alloc(300, 1));
    await place.write(id, MANIFEST, Buffer.from('{}'));
    expect(await place.read(id, 'part-000001', MAX)).toEqual(Buffer.alloc(300, 1));
    expect(await place.read(id, 'part-000002', MAX)).toBeUndefined();
    const sizes = [...(await place.sizes(id))].sort();
    expect(sizes).toEqual([
      [MANIFEST, 2],
      ['part-000001', 300],
      [OWNER, 2],
    ]);
    expect(await place.sizes(newBackupId(NOON))).toEqual(new Map());
  });

  test('lists incomplete backups too, oldest first', async () => {
    const place = await open();
    expect(await place.ids()).toEqual([]);
    const ids = [NOON + 2, NOON, NOON + 1].map(newBackupId);
    for (const id of ids) {
      await place.write(id, OWNER, Buffer.from('me'));
      await place.write(id, 'part-000001', Buffer.from('part'));
    }
    expect(await place.ids()).toEqual([...ids].sort());
    expect((await place.ids()).map(startOfBackup)).toEqual([NOON, NOON + 1, NOON + 2]);
  });

  test('removes one backup, and no other', async () => {
    const place = await open();
    const [one, other] = [newBackupId(NOON), newBackupId(NOON)];
    for (const id of [one, other])
      for (const name of [OWNER, 'part-000001', 'part-000002', MANIFEST])
        await place.write(id, name, Buffer.from(name));
    await place.remove(one);
    expect(await place.ids()).toEqual([other]);
    expect(await place.sizes(one)).toEqual(new Map());
    expect((await place.sizes(other)).size).toBe(4);
    await place.remove(one);
    await place.remove(newBackupId(NOON));
    expect(await place.ids()).toEqual([other]);
  });
});

describe('a folder of backups', () => {
  test('is readable only for its owner, and may contain files of other programs', async () => {
    const folder = await temporaryFolder();
    const place = folderPlace(folder);
    const id = newBackupId(NOON);
    await place.write(id, 'part-000001', Buffer.from('part'));
    expect((await stat(join(folder, id))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, id, 'part-000001'))).mode & 0o777).toBe(0o600);
    await mkdir(join(folder, 'lost+found'));
    await mkdir(join(folder, `${id}-copy`));
    await writeFile(join(folder, 'notes.txt'), 'mine');
    expect(await place.ids()).toEqual([id]);
    await place.remove(id);
    expect((await stat(join(folder, 'notes.txt'))).size).toBe(4);
  });
});

describe('a bucket of backups', () => {
  test('lists each backup once, however many parts it has, and no other keys', async () => {
    const { config, objects } = await faultyBucket(() => 'pass');
    const bucket = openBucket(config, () => NOON);
    const place = bucketPlace(bucket, 'servers/one');
    const [one, two] = [newBackupId(NOON), newBackupId(NOON + 1)];
    const stored = { bytes: Buffer.from('part'), hash: undefined };
    for (const id of [one, two])
      for (let part = 1; part <= 1100; part += 1)
        objects.set(`servers/one/${id}/part-${String(part).padStart(6, '0')}`, stored);
    objects.set('servers/one/notes.txt', stored);
    objects.set('servers/one/fixpoint-notes/part-000001', stored);
    objects.set(`servers/one-more/${newBackupId(NOON)}/part-000001`, stored);
    objects.set(`${newBackupId(NOON)}/part-000001`, stored);
    expect(await place.ids()).toEqual([one, two]);
    expect((await place.sizes(one)).size).toBe(1100);
    expect(await bucketPlace(bucket, '').ids()).toHaveLength(1);
  });

  test('refuses a file that is longer than it may be', async () => {
    const place = await placeInBucket();
    const id = newBackupId(NOON);
    await place.write(id, MANIFEST, Buffer.alloc(MAX + 1));
    await expect(place.read(id, MANIFEST, MAX)).rejects.toThrow('the object is too large');
    expect((await place.read(id, MANIFEST, MAX + 1))?.length).toBe(MAX + 1);
  });
});

test('accepts only its own ids', () => {
  expect(isBackupId(newBackupId(NOON))).toBe(true);
  for (const text of ['', 'fixpoint-', `${newBackupId(NOON)}/x`, `x${newBackupId(NOON)}`, '../fixpoint'])
    expect(isBackupId(text), text).toBe(false);
});
