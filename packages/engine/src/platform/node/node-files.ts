import { closeSync, fdatasync, fdatasyncSync, openSync, readSync, watch, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isFixpointError } from '@fixpoint/protocol';
import type { FileSystem, Lock, OpenFile } from '../../ports/file-system.ts';
import { isExisting, unlessMissing } from './failure.ts';
import { withFileLock } from './file-lock.ts';
import { makeLockFile, readLockFile } from './lock-file.ts';
import { isAlive, newHolder } from './lock-holder.ts';

const FLAGS = { existing: 'r+', create: 'a+', empty: 'w+' } as const;

/**
 * The file system of this machine. Only this user can access the files and folders that it creates.
 */
export const nodeFiles: FileSystem = {
  open: async (path, how) => {
    // A file that is opened to append can't be written at other positions, so the append mode is
    // used only to create the file.
    if (how === 'create') await (await open(path, FLAGS.create, 0o600)).close();
    return openFile(await open(path, how === 'empty' ? FLAGS.empty : FLAGS.existing, 0o600));
  },
  readFile: (path) => readFile(path).catch(unlessMissing),
  readPart: async (path, at, length) => {
    const bytes = new Uint8Array(length);
    try {
      const count = await partReads(
        () => readPartNow(path, bytes, at),
        () => readPartInThread(path, bytes, at),
      );
      return bytes.subarray(0, count);
    } catch (cause) {
      return unlessMissing(cause);
    }
  },
  rename,
  makeFolder: async (path) => {
    const first = await mkdir(path, { recursive: true, mode: 0o700 });
    const highest = resolve(first ?? path);
    // The name of each new folder is in its parent, so the parent must be synced.
    for (let made = resolve(path); made.startsWith(highest); made = dirname(made))
      await nodeFiles.syncFolder(dirname(made));
  },
  syncFolder: async (path) => {
    const folder = await open(path, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  list: async (folder) => (await readdir(folder).catch(unlessMissing)) ?? [],
  remove: (path) => rm(path, { force: true }),
  removeFolder: (path) => rm(path, { recursive: true, force: true }),
  oneAtATime: (path, work) =>
    withFileLock(path, work).catch((cause) => {
      throw isFixpointError(cause, 'KEY_UPSERT') ? cause.cause : cause;
    }),
  lock: lockPath,
  watch: (path, fn) => {
    try {
      const watcher = watch(path, { persistent: false }, fn);
      // When a watch fails, only hints are lost, because watchers also poll.
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => undefined;
    }
  },
  stamp: async (path) => {
    const found = await stat(path).catch(unlessMissing);
    return found && `${found.ino}:${found.size}`;
  },
};

/** Calls that take longer than this run in another thread, because they would block this one. */
const SHORT_CALL_MS = 1;

/**
 * Runs a call on this thread if the last call of its kind was short, and in another thread
 * otherwise. Using another thread takes about as long as a call to a fast disk.
 */
function shortCalls() {
  let lastMs = SHORT_CALL_MS;
  return async <T>(here: () => T, inThread: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    try {
      return lastMs < SHORT_CALL_MS ? here() : await inThread();
    } finally {
      lastMs = performance.now() - start;
    }
  };
}

const partReads = shortCalls();

function readPartNow(path: string, into: Uint8Array, at: number): number {
  const fd = openSync(path, 'r');
  try {
    return readSync(fd, into, 0, into.length, at);
  } finally {
    closeSync(fd);
  }
}

async function readPartInThread(path: string, into: Uint8Array, at: number): Promise<number> {
  const file = await open(path, 'r');
  try {
    return (await file.read(into, 0, into.length, at)).bytesRead;
  } finally {
    await file.close();
  }
}

function openFile(handle: FileHandle): OpenFile {
  const { fd } = handle;
  const syncs = shortCalls();
  return {
    read: async (into, at) => (await handle.read(into, 0, into.length, at)).bytesRead,
    write: async (bytes, at) => (await handle.write(bytes, 0, bytes.length, at)).bytesWritten,
    writeNow: (bytes, at) => writeSync(fd, bytes, 0, bytes.length, at),
    truncate: (length) => handle.truncate(length),
    sync: () =>
      syncs(
        () => fdatasyncSync(fd),
        () =>
          new Promise<void>((resolve, reject) => {
            fdatasync(fd, (cause) => (cause === null ? resolve() : reject(cause)));
          }),
      ),
    close: () => handle.close(),
  };
}

async function lockPath(path: string): Promise<Lock | undefined> {
  const mine = newHolder();
  const isHeld = async () => (await readLockFile(path)) === mine;
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      await makeLockFile(path, mine);
      return {
        isHeld,
        // If the folder was removed, another folder may be in its place, with the lock of another
        // process.
        release: async () => {
          if (await isHeld()) await unlink(path).catch(unlessMissing);
        },
      };
    } catch (cause) {
      if (!isExisting(cause)) throw cause;
    }
    if (isAlive((await readLockFile(path)) ?? '')) return undefined;
    await unlink(path).catch(unlessMissing);
  }
  return undefined;
}
