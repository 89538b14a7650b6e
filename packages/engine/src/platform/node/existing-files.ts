/**
 * Reads and writes the files of the format's first implementation:
 * `<base>/<name>/{data,meta}/...`. The key bag is a folder with one JSON file per key.
 */
import { access, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { ExistingPlace, ExistingStore, ExistingTarget } from '../../ports/existing-store.ts';
import { replaceFile } from './durable-file.ts';
import { isMissing, storeFailure } from './failure.ts';
import { nodeFiles } from './node-files.ts';

/**
 * Returns the folder of a `file:` URL in the form that the first implementation uses. Unlike in
 * standard URLs, `file://./here` is relative to the working directory. Parameters are ignored.
 */
export function folderOfUrl(url: string): string {
  const path = pathOfUrl(url);
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Returns the path of a URL as the first implementation reads it, which decodes nothing. */
const pathOfUrl = (url: string): string => url.replace(/^file:\/\//, '').replace(/\?.*$/, '');

/** Returns the folders in which the first implementation may have stored files for this URL. */
const foldersOfUrl = (url: string): readonly string[] => [...new Set([folderOfUrl(url), pathOfUrl(url)])];

const HOME_FOLDER = join(homedir(), '.fireproof');
const SUFFIX = '.car';

/** Returns the folder in which the first implementation stores databases by default. */
export const existingBase = (): string => join(HOME_FOLDER, 'v0.19');

function keyBagFolders(url: string | undefined): readonly string[] {
  const given = url ?? process.env['FP_KEYBAG_URL'];
  return given === undefined ? [join(HOME_FOLDER, 'keybag')] : foldersOfUrl(given);
}

/**
 * Opens the existing database of this name, or returns undefined when there is none.
 * @param directory where to look when no base is given
 * @throws FixpointError STORE_FAILED
 */
export async function existingNodeStore(
  name: string,
  { base, keyBag }: ExistingPlace,
  directory: string,
): Promise<ExistingStore | undefined> {
  if (isNoFolder(name)) return undefined;
  const folder = await firstOf(base === undefined ? [directory] : foldersOfUrl(base), async (one) =>
    (await hasStore(join(one, name))) ? join(one, name) : undefined,
  );
  if (folder === undefined) return undefined;
  const data = join(folder, 'data');
  const namesIn = async () => (await whenThere(readdir(data))) ?? [];
  return {
    place: folder,
    readMeta: () => bytesOf(join(folder, 'meta', 'main.json')),
    readArchive: (cid) => bytesOf(join(data, `${cid}${SUFFIX}`)),
    readFileArchive: (cid) => bytesOf(join(data, cid)),
    archives: async () =>
      (await namesIn()).filter((one) => one.endsWith(SUFFIX)).map((one) => one.slice(0, -SUFFIX.length)),
    readKeyRecord: (key) => readKeyRecord(keyBag, key),
    readKeyRecords: async () => (await Promise.all(keyBagFolders(keyBag).map(recordsIn))).flat(),
    close: async () => undefined,
  };
}

/**
 * Returns functions that write a database in the format of the first implementation.
 * @param directory where to write when no base is given
 * @throws FixpointError REQUEST_INVALID for a name that leads out of the folder
 */
export function existingNodeTarget(
  name: string,
  { base, keyBag }: ExistingPlace,
  directory: string,
): ExistingTarget {
  if (isNoFolder(name)) throw new FixpointError('REQUEST_INVALID', `name ${name}`);
  const folder = join(base === undefined ? directory : folderOfUrl(base), name);
  return {
    place: folder,
    isTaken: () => hasStore(folder),
    write: (path, bytes) => writeWhole(join(folder, path), bytes),
    readKeyRecord: (key) => readKeyRecord(keyBag, key),
    writeKeyRecord: (key, record) => {
      const [bag = ''] = keyBagFolders(keyBag);
      return writeWhole(
        join(bag, recordName(key)),
        new TextEncoder().encode(JSON.stringify(record, null, 2)),
      );
    },
  };
}

async function hasStore(folder: string): Promise<boolean> {
  const found = await Promise.all(['meta', 'data'].map((one) => exists(join(folder, one))));
  return found.includes(true);
}

/** Returns the first result that isn't undefined. */
async function firstOf<T>(
  folders: readonly string[],
  find: (folder: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const folder of folders) {
    const found = await find(folder);
    if (found !== undefined) return found;
  }
  return undefined;
}

const recordName = (key: string): string => `${key.replace(/[^A-Za-z0-9]/g, '_')}.json`;

const readKeyRecord = (keyBag: string | undefined, key: string): Promise<unknown> =>
  firstOf(keyBagFolders(keyBag), (bag) => readRecord(join(bag, recordName(key))));

async function recordsIn(bag: string): Promise<readonly unknown[]> {
  const names = ((await whenThere(readdir(bag))) ?? []).filter((one) => one.endsWith('.json'));
  return Promise.all(names.map((one) => readRecord(join(bag, one)).catch(() => undefined)));
}

async function readRecord(path: string): Promise<unknown> {
  const bytes = await bytesOf(path);
  if (bytes === undefined) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new FixpointError('CORRUPT', `key record ${path}`, { cause });
  }
}

async function writeWhole(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await nodeFiles.makeFolder(dirname(path));
    await replaceFile(nodeFiles, path, bytes);
  } catch (cause) {
    throw storeFailure(cause);
  }
}

/** Names are used unchanged as folder names, so a name must not lead out of the folder. */
const isNoFolder = (name: string): boolean => /^\.*$|[/\\\0]/.test(name);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

const bytesOf = async (path: string): Promise<Uint8Array | undefined> => {
  const found = await whenThere(readFile(path));
  return found === undefined ? undefined : Uint8Array.from(found);
};

async function whenThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw storeFailure(cause);
  }
}
