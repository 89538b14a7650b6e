import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../tests/cloud.fixture.ts';
import { defaultConfig } from './config.ts';
import { placeOf } from './start-backups.ts';

const bucketAt = (url: string) => ({
  url,
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'secret',
  sessionToken: undefined,
  isDirect: false,
});

describe('the place of backups', () => {
  test('refuses the data folder, also if symbolic links lead there', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'disk/data'), { recursive: true });
    await symlink(join(folder, 'disk'), join(folder, 'link'));
    const config = defaultConfig(join(folder, 'link/data'));
    const at = (path: string) => placeOf(config, { kind: 'folder', path: join(folder, path) });
    for (const path of ['link/data', 'disk/data', 'disk/data/backups', 'disk/data/new/backups'])
      await expect(at(path), path).rejects.toThrow('backups need a folder outside of FIXPOINT_DATA');
    for (const path of ['disk', 'disk/data-backups', 'new/backups'])
      expect(await at(path), path).toBeDefined();
  });

  test('refuses the bucket of the objects, also at its other address', async () => {
    const at = (objects: string, backups: string) =>
      placeOf(
        { ...defaultConfig('/data'), bucket: bucketAt(objects) },
        { kind: 'bucket', bucket: bucketAt(backups), prefix: 'backups' },
      );
    const [path, host] = ['https://s3.example:9000/notes', 'https://notes.s3.example:9000'] as const;
    for (const [objects, backups] of [
      [path, path],
      [path, host],
      [host, path],
      [host, 'https://S3.example:9000/notes'],
    ] as const)
      await expect(at(objects, backups)).rejects.toThrow('backups need another bucket than OBJECT_STORE');
    for (const other of ['https://s3.example:9000/backups', 'https://s3.example/notes'])
      expect(await at(path, other)).toBeDefined();
  });
});
