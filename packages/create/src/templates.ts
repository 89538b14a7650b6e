/** Reads and copies the templates, which `npm run pack` takes from the examples. */
import { constants } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

export interface Template {
  readonly name: string;
  readonly description: string;
}

/** npm leaves files of this name out of packages, so that templates have it under another name. */
const RENAMED = new Map([['_gitignore', '.gitignore']]);
const NAME_LENGTH_MAX = 214;

const manifestIn = async (folder: string): Promise<{ readonly description?: string }> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

export async function listTemplates(folder: string): Promise<Template[]> {
  const names = (await readdir(folder)).sort();
  return Promise.all(
    names.map(async (name) => {
      const { description = '' } = await manifestIn(join(folder, name));
      return { name, description };
    }),
  );
}

/** Returns whether an application can be created there. A new Git repository counts as empty. */
export async function isFree(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).every((name) => name === '.git');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return true;
    if ((cause as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw cause;
  }
}

/** Returns a valid name for the package of an application, from the name of its folder. */
export function packageNameOf(folderName: string): string {
  const name = folderName
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+/, '')
    .slice(0, NAME_LENGTH_MAX)
    .replace(/[._-]+$/, '');
  // npm reserves these names.
  return ['', 'node_modules', 'favicon.ico'].includes(name) ? 'my-app' : name;
}

/** Copies a template into a folder. Never replaces a file. */
export async function copyTemplate(from: string, to: string, packageName: string): Promise<void> {
  const files = await readdir(from, { withFileTypes: true, recursive: true });
  for (const { name, parentPath } of files.filter((entry) => entry.isFile())) {
    const source = join(parentPath, name);
    const target = join(to, relative(from, parentPath), RENAMED.get(name) ?? name);
    await mkdir(dirname(target), { recursive: true });
    if (relative(from, source) !== 'package.json') await copyFile(source, target, constants.COPYFILE_EXCL);
    else {
      const manifest = { ...(await manifestIn(from)), name: packageName };
      await writeFile(target, `${JSON.stringify(manifest, null, 2)}\n`, { flag: 'wx' });
    }
  }
}
