/** Builds a Debian package from the bundle of the server, with a hardened systemd unit. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root, run } from '../ready.mjs';

const NAME = 'fixpoint-server';
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
const SOURCE = join(root, 'deploy', 'debian');
const HOME = 'usr/lib/fixpoint';
const DOCS = `usr/share/doc/${NAME}`;

function must(command, args, options) {
  const done = run(command, args, { quiet: true, ...options });
  if (!done.ok) throw new Error(`${command} failed: ${done.error?.message ?? done.output.trim()}`);
}

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true })
    .map(String)
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();

/** Returns the newest version of glibc that a program in the tree needs, such as `2.34`. */
function glibcOf(tree) {
  const programs = filesBelow(join(tree, HOME)).filter((path) => /\.node$|^node\/bin\/node$/.test(path));
  const versions = programs.flatMap((path) => {
    const text = readFileSync(join(tree, HOME, path), 'latin1');
    return [...text.matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) => Number(minor));
  });
  return `2.${Math.max(...versions)}`;
}

/** Copies a file, with the mode that it has in the package. */
function place(tree, from, to, mode) {
  mkdirSync(dirname(join(tree, to)), { recursive: true });
  cpSync(from, join(tree, to));
  chmodSync(join(tree, to), mode);
}

function writeTree(tree, bundle) {
  mkdirSync(join(tree, HOME), { recursive: true });
  must('tar', ['-xzf', bundle, '--strip-components=1', '-C', join(tree, HOME)]);
  mkdirSync(join(tree, 'usr/bin'), { recursive: true });
  symlinkSync('../lib/fixpoint/bin/fixpoint', join(tree, 'usr/bin/fixpoint'));
  place(tree, join(SOURCE, 'fixpoint-server'), 'usr/sbin/fixpoint-server', 0o755);
  place(tree, join(SOURCE, 'fixpoint.service'), 'usr/lib/systemd/system/fixpoint.service', 0o644);
  place(tree, join(SOURCE, 'fixpoint.env'), 'etc/fixpoint/fixpoint.env', 0o640);
  for (const file of ['README.md', 'UPGRADING.md']) {
    place(tree, join(tree, HOME, file), `${DOCS}/${file}`, 0o644);
    rmSync(join(tree, HOME, file));
  }
  const licences = ['LICENSE', 'THIRD_PARTY_LICENSES.txt'].map((file) =>
    readFileSync(join(tree, HOME, file), 'utf8'),
  );
  writeFileSync(join(tree, DOCS, 'copyright'), licences.join('\n'));
  const changes = readFileSync(join(tree, HOME, 'CHANGELOG.md'));
  writeFileSync(join(tree, DOCS, 'changelog.gz'), gzipSync(changes, { level: 9 }));
  for (const file of ['LICENSE', 'THIRD_PARTY_LICENSES.txt', 'CHANGELOG.md']) rmSync(join(tree, HOME, file));
}

function writeControl(tree, { version, hasNode }) {
  const control = join(tree, 'DEBIAN');
  mkdirSync(control);
  const files = filesBelow(tree).filter((path) => !path.startsWith('DEBIAN/'));
  const kilobytes = files.reduce((sum, path) => sum + Math.ceil(statSync(join(tree, path)).size / 1024), 0);
  const needed = hasNode ? ['libstdc++6'] : ['nodejs (>= 20.19)'];
  const fields = {
    Package: NAME,
    Version: version,
    Architecture: ARCHITECTURES[process.arch],
    Maintainer: 'Fixpoint <security@fixpoint.example>',
    'Installed-Size': kilobytes,
    Depends: [...needed, `libc6 (>= ${glibcOf(tree)})`, 'adduser', 'init-system-helpers'].join(', '),
    Section: 'database',
    Priority: 'optional',
    Description: `server and console of the Fixpoint document database
 Fixpoint is a local-first document database. This package runs the server
 that syncs databases between devices and people, and its web console.${hasNode ? '\n .\n This build contains its own Node.' : ''}`,
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(join(control, 'control'), text.join(''));
  writeFileSync(join(control, 'conffiles'), '/etc/fixpoint/fixpoint.env\n');
  const sums = files
    .filter((path) => !path.startsWith('etc/'))
    .map(
      (path) =>
        `${createHash('md5')
          .update(readFileSync(join(tree, path)))
          .digest('hex')}  ${path}\n`,
    );
  writeFileSync(join(control, 'md5sums'), sums.join(''));
  for (const script of ['postinst', 'prerm', 'postrm']) place(control, join(SOURCE, script), script, 0o755);
}

/**
 * Builds the package in the folder of the bundle. Needs `dpkg-deb`.
 * @param bundle archive of the bundle
 * @param hasNode whether the bundle contains Node
 * @param version version of the package; default: that of the bundle
 * @param compression compressor of dpkg-deb
 * @param time seconds since 1970 for all files
 * @returns the path of the package
 */
export function debianPackage({ bundle, hasNode = false, version, compression = 'xz', time = '0' }) {
  const own = version ?? JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  const folder = dirname(bundle);
  const tree = join(folder, 'debian');
  rmSync(tree, { recursive: true, force: true });
  writeTree(tree, bundle);
  writeControl(tree, { version: own, hasNode });
  const withNode = hasNode ? '-with-node' : '';
  const target = join(folder, `${NAME}${withNode}_${own}_${ARCHITECTURES[process.arch]}.deb`);
  const env = { SOURCE_DATE_EPOCH: time };
  must('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', tree, target], { env });
  rmSync(tree, { recursive: true, force: true });
  return target;
}
