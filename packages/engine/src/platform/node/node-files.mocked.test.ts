/**
 * Tests that files and folders become durable on a real file system, which simulated disks can't
 * show.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { nodeFiles } from './node-files.ts';

const synced = vi.hoisted((): string[] => []);

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const fdatasync = (fd: number, done: (cause: Error | null) => void) => {
    synced.push('file, in a thread');
    fs.fdatasync(fd, done);
  };
  const fdatasyncSync = (fd: number) => {
    synced.push('file, here');
    fs.fdatasyncSync(fd);
  };
  return { ...fs, fdatasync, fdatasyncSync };
});

vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const open = async (...given: Parameters<typeof fs.open>) => {
    const handle = await fs.open(...given);
    const sync = handle.sync.bind(handle);
    handle.sync = () => {
      synced.push(`folder ${given[0]}`);
      return sync();
    };
    return handle;
  };
  return { ...fs, open };
});

afterEach(() => {
  synced.length = 0;
  vi.restoreAllMocks();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

test('[R1] syncs a file in another thread at first, and in this thread once the disk proves fast', async () => {
  const file = await nodeFiles.open(join(await temporaryFolder(), 'file'), 'empty');
  onTestFinished(() => file.close());
  vi.spyOn(performance, 'now').mockReturnValue(0);
  await file.sync();
  await file.sync();
  expect(synced).toEqual(['file, in a thread', 'file, here']);
});

test('[R2] makes new folders durable by syncing the parent of each new folder', async () => {
  const root = await temporaryFolder();
  await nodeFiles.makeFolder(join(root, 'a/b/c'));
  expect(synced.toSorted()).toEqual([root, join(root, 'a'), join(root, 'a/b')].map((one) => `folder ${one}`));
  synced.length = 0;
  await nodeFiles.makeFolder(join(root, 'a/b/c'));
  expect(synced).toEqual([`folder ${join(root, 'a/b')}`]);
});
