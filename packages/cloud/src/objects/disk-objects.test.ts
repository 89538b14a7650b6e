import { mkdtemp, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDiskObjects } from './disk-objects.ts';

const firstLetter = (bytes: Buffer) => /^[A-Z]/.exec(bytes.toString())?.[0];

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-objects-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function* bytesOf(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/**
 * Records each file and folder that is synced to disk: its inode number, and how many names it has
 * at that moment.
 */
async function watchSyncs(folder: string) {
  const probe = await open(folder, 'r');
  const { sync } = probe;
  const synced: { readonly ino: number; readonly names: number }[] = [];
  const spy = vi
    .spyOn(Object.getPrototypeOf(probe) as typeof probe, 'sync')
    .mockImplementation(async function (this: typeof probe) {
      const { ino, nlink } = await this.stat();
      await sync.call(this);
      synced.push({ ino, names: nlink });
    });
  onTestFinished(() => spy.mockRestore());
  await probe.close();
  return synced;
}

const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name));

test.each(['first', 'a variant of an existing object'])(
  '[B1][R14] syncs bytes, name and folder of an object to disk before it reports success: %s',
  async (which) => {
    const folder = await newFolder();
    const objects = await openDiskObjects(folder, firstLetter, () => Date.now());
    if (which !== 'first') await objects.write('t/l/car/k', bytesOf('A'));
    const before = await filesIn(folder);
    const synced = await watchSyncs(folder);
    expect(await objects.write('t/l/car/k', bytesOf('B'))).toBe('stored');
    const [file = ''] = (await filesIn(folder)).filter((one) => !before.includes(one));
    const numberOf = async (path: string) => (await stat(path)).ino;
    const [bytes, name, shelf] = [file, dirname(file), dirname(dirname(file))];
    // The store first syncs the bytes, while the file has only its draft's name. It also syncs the
    // parent of a new folder. Last, it syncs the folder that contains the new name.
    expect(synced).toContainEqual({ ino: await numberOf(bytes), names: 1 });
    expect(synced.map(({ ino }) => ino)).toContain(await numberOf(shelf));
    expect(synced.at(-1)?.ino).toBe(await numberOf(name));
  },
);

test('removes old drafts of a process that died', async () => {
  const folder = await newFolder();
  const opened = (ahead: number) => openDiskObjects(folder, firstLetter, () => Date.now() + ahead);
  const drafts = () => readdir(join(folder, 'drafts'));
  await opened(0);
  await writeFile(join(folder, 'drafts', 'half'), 'half');
  await opened(0);
  expect(await drafts()).toHaveLength(1);
  await opened(7_200_000);
  expect(await drafts()).toHaveLength(0);
});

test('[R14] syncs the folder of objects and its parent folders to disk', async () => {
  const root = await newFolder();
  const synced = await watchSyncs(root);
  await openDiskObjects(join(root, 'data/objects'), firstLetter, Date.now);
  const needed = await Promise.all(['.', 'data', 'data/objects'].map((name) => stat(join(root, name))));
  const numbers = new Set(synced.map(({ ino }) => ino));
  expect(needed.filter(({ ino }) => !numbers.has(ino))).toEqual([]);
});
