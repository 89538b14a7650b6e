/**
 * Finds programs that tests use, such as proxies. If one isn't installed, downloads its Debian
 * package and unpacks it into a cache, because an installed package might start a service.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root, run } from './ready.mjs';

const CACHE = join(root, 'node_modules', '.cache', 'fixpoint-programs');

function installed(name) {
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/sbin', '/usr/bin');
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

function unpack(packageName, folder) {
  const work = `${folder}.${process.pid}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const download = () =>
    run('sh', ['-c', 'cd "$0" && apt-get download -qq "$1"', work, packageName], { quiet: true }).ok;
  const isLoaded = download() || (run('apt-get', ['update', '-qq'], { quiet: true }).ok && download());
  const [archive] = readdirSync(work);
  if (!isLoaded || archive === undefined) return;
  const files = join(work, 'files');
  if (!run('dpkg-deb', ['-x', join(work, archive), files], { quiet: true }).ok) return;
  rmSync(folder, { recursive: true, force: true });
  renameSync(files, folder);
  rmSync(work, { recursive: true, force: true });
}

/**
 * Returns the path of a program; undefined if it is neither installed nor available from Debian.
 * @param packageName Debian package
 * @param path path of the program in the package, such as `usr/sbin/nginx`
 */
export function debianProgram(packageName, path) {
  const found = installed(basename(path));
  if (found !== undefined) return found;
  const program = join(CACHE, packageName, path);
  if (!existsSync(program)) {
    process.stderr.write(`Downloading ${packageName} ...\n`);
    unpack(packageName, join(CACHE, packageName));
  }
  return existsSync(program) ? program : undefined;
}
