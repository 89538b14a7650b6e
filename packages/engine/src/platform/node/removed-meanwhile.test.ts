/**
 * Tests a database that another process removes and recreates while this one still uses the folder.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { FileSystem } from '../../ports/file-system.ts';
import { systemTime } from '../system.ts';
import { destroyFolder } from './log/log-folder.ts';
import { failureOf, filled, text } from './log/simulated-logs.fixture.ts';
import { nodeFiles } from './node-files.ts';
import { openNodeStore } from './node-store.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-removed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const newFolder = () => join(mkdtempSync(join(base, 'dir-')), 'db');

const open = (folder: string, files: FileSystem = nodeFiles) =>
  openNodeStore(folder, 'strict', files, systemTime, () => undefined);

/**
 * Acts as another process, and replaces the database with a new one. The new one has one of its
 * values in a separate file.
 */
async function takePlace(folder: string): Promise<ByteStore> {
  await destroyFolder(folder, nodeFiles);
  const store = await open(folder);
  await store.write([
    { key: 'new', bytes: text('new') },
    { key: 'file/new', bytes: filled(70_000, 7) },
  ]);
  return store;
}

async function expectWhole(folder: string): Promise<void> {
  const store = await open(folder);
  expect(await store.keys('')).toEqual(['file/new', 'new']);
  expect(await store.read('file/new')).toEqual(filled(70_000, 7));
  await store.close();
}

/** The file system of this machine, with a callback at the first read of an opened file. */
function atFirstRead(work: () => Promise<void>): FileSystem {
  let isDone = false;
  return {
    ...nodeFiles,
    open: async (path, how) => {
      const file = await nodeFiles.open(path, how);
      const read: typeof file.read = async (into, at) => {
        if (!isDone) {
          isDone = true;
          await work();
        }
        return file.read(into, at);
      };
      return { ...file, read };
    },
  };
}

describe('a folder that another process removes', () => {
  test('[R9] is created again if it is removed while this process opens it', async () => {
    const folder = newFolder();
    const before = await open(folder);
    await before.write([{ key: 'old', bytes: text('old') }]);
    await before.close();
    const removing = atFirstRead(() => destroyFolder(folder, nodeFiles));
    const store = await open(folder, removing);
    expect(await store.keys('')).toEqual([]);
    await store.write([{ key: 'kept', bytes: text('kept') }]);
    await store.close();
    const again = await open(folder);
    expect(await again.keys('')).toEqual(['kept']);
    await again.close();
  });

  test('[R9] opens as the new database if it is recreated while this process opens it', async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    let other: ByteStore | undefined;
    const store = await open(
      folder,
      atFirstRead(async () => {
        other = await takePlace(folder);
      }),
    );
    expect(await store.keys('')).toEqual(['file/new', 'new']);
    expect([other?.writer, store.writer]).toEqual([0, 1]);
    await store.close();
    await other?.close();
    await expectWhole(folder);
  });

  test("[R3] doesn't count as removed if it can't be read: opening it fails and keeps no files open", async () => {
    const folder = newFolder();
    await (await open(folder)).close();
    const failure = Object.assign(new Error('EIO: simulated'), { code: 'EIO' });
    let isClosed = 0;
    const files: FileSystem = {
      ...nodeFiles,
      open: async (path, how) => {
        const file = await nodeFiles.open(path, how);
        const close = async () => {
          isClosed += 1;
          await file.close();
        };
        return { ...file, close, read: () => Promise.reject(failure) };
      },
      lock: async (path) => {
        const lock = await nodeFiles.lock(path);
        return lock && { ...lock, isHeld: () => Promise.reject(failure) };
      },
    };
    expect(await failureOf(open(folder, files))).toBe('STORE_FAILED');
    // The log and its marker were opened, so both must be closed.
    expect(isClosed).toBe(2);
    const again = await open(folder);
    expect(again.writer).toBe(0);
    await again.close();
  });

  test('[R9] keeps the new database when a process that still has the previous database open shrinks and closes that database', async () => {
    const folder = newFolder();
    const old = await open(folder);
    for (let n = 0; n < 5; n++) await old.write([{ key: 'big', bytes: filled(60_000, n) }]);
    const other = await takePlace(folder);
    await old.shrink?.();
    expect(await old.isAlone?.()).toBe(false);
    await old.close();
    expect(readdirSync(folder)).toContain('lock');
    expect(await other.refresh?.()).toBe(false);
    await other.close();
    await expectWhole(folder);
  });

  test('[R9] contains exactly the files of the new database if it is recreated during the removal', async () => {
    const folder = newFolder();
    let other: ByteStore | undefined;
    const files: FileSystem = {
      ...nodeFiles,
      removeFolder: async (path) => {
        other ??= await takePlace(folder);
        await nodeFiles.removeFolder(path);
      },
    };
    const old = await open(folder, files);
    await old.write([{ key: 'file/old', bytes: filled(70_000, 1) }]);
    await old.destroy();
    await other?.close();
    await expectWhole(folder);
    expect(readdirSync(join(folder, 'files'))).toHaveLength(1);
    expect(readdirSync(join(folder, '..'))).toEqual(['db']);
  });

  test('[R9] is removed by the next removal if the first one crashed, without changing other folders', async () => {
    const folder = newFolder();
    const killed: FileSystem = { ...nodeFiles, removeFolder: () => Promise.reject(new Error('killed')) };
    await (await open(folder)).close();
    expect(await failureOf(destroyFolder(folder, killed))).toBe('STORE_FAILED');
    const others = ['db-2', `db.${'a'.repeat(16)}`, `dc.${'b'.repeat(16)}.destroyed`, 'db.destroyed'];
    for (const name of others) mkdirSync(join(folder, '..', name));
    expect(readdirSync(join(folder, '..'))).toHaveLength(others.length + 1);
    await destroyFolder(folder, nodeFiles);
    expect(readdirSync(join(folder, '..')).toSorted()).toEqual(others.toSorted());
  });

  test('[R9] reports DATABASE_CLOSED to processes that still have the folder open', async () => {
    const folder = newFolder();
    const old = await open(folder);
    await old.write([{ key: 'file/old', bytes: filled(70_000, 1) }]);
    await destroyFolder(folder, nodeFiles);
    const writing = old.write([{ key: 'file/more', bytes: filled(70_000, 2) }]);
    expect(await failureOf(writing)).toBe('DATABASE_CLOSED');
    expect(await failureOf(old.refresh?.() ?? Promise.resolve())).toBe('DATABASE_CLOSED');
    await old.close();
  });

  test('[R9] is not recreated when a process that still has the folder open writes a first long value', async () => {
    const folder = newFolder();
    const old = await open(folder);
    await destroyFolder(folder, nodeFiles);
    const writing = old.write([{ key: 'file/old', bytes: filled(70_000, 1) }]);
    expect(await failureOf(writing)).toBe('DATABASE_CLOSED');
    expect(readdirSync(join(folder, '..'))).toEqual([]);
    await old.close();
    const again = await open(folder);
    expect(await again.keys('')).toEqual([]);
    await again.close();
  });

  test('[R9] is reported as closed, not as damaged, when removed during an inspection', async () => {
    const folder = newFolder();
    let isRemoving = false;
    const store = await open(folder, {
      ...nodeFiles,
      readFile: async (path) => {
        if (isRemoving) await destroyFolder(folder, nodeFiles);
        isRemoving = false;
        return nodeFiles.readFile(path);
      },
    });
    await store.write([{ key: 'old', bytes: text('old') }]);
    isRemoving = true;
    expect(await failureOf(store.inspect?.() ?? Promise.resolve())).toBe('DATABASE_CLOSED');
    await store.close();
  });
});
