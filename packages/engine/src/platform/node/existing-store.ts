/** Databases of the format's first implementation in files: `<base>/<name>/{data,meta}/...`, and its key bag, one JSON file a key. */
import { access, readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { ExistingPlace, ExistingStore } from '../../ports/existing-store.ts';
import { isMissing } from './failure.ts';

/** What `file:` URLs of that implementation mean: `file://./here` is a folder of the working directory, which URLs cannot say; parameters are none of it. */
export const folderOfUrl = (url: string): string =>
  decodeURIComponent(url.replace(/^file:\/\//, '').replace(/\?.*$/, ''));

const HOME_FOLDER = join(homedir(), '.fireproof');
const SUFFIX = '.car';

/** Where that implementation keeps databases when nothing is said. */
export const existingBase = (): string => join(HOME_FOLDER, 'v0.19');

function keyBagFolder(url: string | undefined): string {
  const given = url ?? process.env['FP_KEYBAG_URL'];
  return given === undefined ? join(HOME_FOLDER, 'keybag') : folderOfUrl(given);
}

/** Undefined when there is none of this name. @param directory where to look when no base is given. @throws FixpointError STORE_FAILED */
export async function existingNodeStore(
  name: string,
  { base, keyBag }: ExistingPlace,
  directory: string,
): Promise<ExistingStore | undefined> {
  // Names are used as they are given: one that leads out of the folder is none.
  if (/^\.*$|[/\\\0]/.test(name)) return undefined;
  const folder = join(base === undefined ? directory : folderOfUrl(base), name);
  const data = join(folder, 'data');
  const isThere = await Promise.all([join(folder, 'meta'), data].map(exists));
  if (!isThere.includes(true)) return undefined;
  const namesIn = async () => (await whenThere(readdir(data))) ?? [];
  return {
    place: folder,
    readMeta: () => bytesOf(join(folder, 'meta', 'main.json')),
    readArchive: (cid) => bytesOf(join(data, `${cid}${SUFFIX}`)),
    readFileArchive: (cid) => bytesOf(join(data, cid)),
    archives: async () =>
      (await namesIn()).filter((one) => one.endsWith(SUFFIX)).map((one) => one.slice(0, -SUFFIX.length)),
    readKeyRecord: async (key) => {
      const path = join(keyBagFolder(keyBag), `${key.replace(/[^A-Za-z0-9]/g, '_')}.json`);
      const bytes = await bytesOf(path);
      if (bytes === undefined) return undefined;
      try {
        return JSON.parse(new TextDecoder().decode(bytes));
      } catch (cause) {
        throw new FixpointError('CORRUPT', `key record ${path}`, { cause });
      }
    },
    close: async () => undefined,
  };
}

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
    throw new FixpointError('STORE_FAILED', (cause as Error).message, { cause });
  }
}
