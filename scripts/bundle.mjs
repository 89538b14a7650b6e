/**
 * `npm run bundle`: builds `artefacts/fixpoint-server-VERSION-PLATFORM.tgz`, which runs the server
 * and the console with Node alone: without npm, a compiler or a network. With `--with-node`, the
 * archive also contains the Node that runs this script (or `--with-node=PATH`). With `--deb`, also
 * builds a Debian package. Needs Linux with GNU tar.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianPackage } from './bundle/debian-package.mjs';
import { licensesText, nodeLicense } from './bundle/licenses.mjs';
import { productionPackages } from './bundle/production-packages.mjs';
import { unpackPackage } from './pack.mjs';
import { ensureBuilt, ensureInstalled, refuse, requireNode, root, run } from './ready.mjs';

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Files that no running program reads. */
const LEFT_OUT = /\.(map|d\.[cm]?ts|tsbuildinfo)$/;
/** Copies of modules for bundlers and browsers, next to those that Node loads. */
const FOR_BUNDLERS = /\/@opentelemetry\/[^/]+\/build\/(esm|esnext)(\/|$)/;
/** The native module for musl. Bundles contain only the one for glibc. */
const OTHER_LIBC = /-musl$/;

/** Returns the machines that run this bundle, as `lib/launch.cjs` compares them. */
function platformHere() {
  process.report.excludeNetwork = true;
  if (process.platform !== 'linux' || !process.report.getReport().header.glibcVersionRuntime)
    throw new Error('Bundles are built on Linux with glibc. Elsewhere, install the npm packages.');
  return `linux-${process.arch}`;
}

function copyPackages(library) {
  const { thirdParty, workspaces } = productionPackages('packages/cli');
  const places = Object.fromEntries(Object.entries(workspaces).map(([name, at]) => [at, name]));
  for (const [name, at] of Object.entries(workspaces))
    unpackPackage(basename(at), join(library, 'node_modules', name));
  const copied = thirdParty.filter((at) => !OTHER_LIBC.test(at));
  for (const at of copied) {
    const [, workspace, rest] = /^(packages\/[^/]+)\/(.*)$/.exec(at) ?? [];
    const to = workspace === undefined ? at : join('node_modules', places[workspace], rest);
    cpSync(join(root, at), join(library, to), {
      recursive: true,
      // Nested packages are copied by themselves, if they are needed.
      filter: (path) =>
        !LEFT_OUT.test(path) &&
        !FOR_BUNDLERS.test(path) &&
        (path === join(root, at) || !relative(join(root, at), path).startsWith('node_modules')),
    });
  }
  removeDeclarations(library);
  return copied.map((at) => join(root, at));
}

/** Removes the type declarations of our packages, which a server doesn't read. */
function removeDeclarations(library) {
  for (const path of readdirSync(library, { recursive: true }))
    if (path.endsWith('.d.ts')) rmSync(join(library, path));
}

function copyNode(node, home) {
  const program = realpathSync(node);
  mkdirSync(join(home, 'node', 'bin'), { recursive: true });
  cpSync(program, join(home, 'node', 'bin', 'node'));
  chmodSync(join(home, 'node', 'bin', 'node'), 0o755);
  const reported = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim();
  return [{ title: `Node ${reported}`, text: nodeLicense(program) }];
}

/**
 * Writes the unpacked bundle into an empty folder. Call it after the build.
 * @param node path of a Node program that the bundle contains; undefined for none
 */
export function writeBundle(home, node) {
  const source = join(root, 'deploy', 'bundle');
  const library = join(home, 'lib');
  const platform = platformHere();
  mkdirSync(join(home, 'bin'), { recursive: true });
  mkdirSync(library);
  cpSync(join(source, 'fixpoint'), join(home, 'bin', 'fixpoint'));
  cpSync(join(source, 'launch.cjs'), join(library, 'launch.cjs'));
  writeFileSync(join(library, 'platform'), `${platform} (glibc)\n`);
  cpSync(join(source, 'README.md'), join(home, 'README.md'));
  for (const file of ['LICENSE', 'CHANGELOG.md', 'UPGRADING.md']) cpSync(join(root, file), join(home, file));
  const folders = copyPackages(library);
  const more = node === undefined ? [] : copyNode(node, home);
  writeFileSync(join(home, 'THIRD_PARTY_LICENSES.txt'), licensesText(folders, more));
  return platform;
}

/** Seconds since 1970 for all files of an archive, so that equal sources give equal archives. */
export function sourceTime() {
  const named = process.env.SOURCE_DATE_EPOCH;
  const committed = named ? { output: named } : run('git', ['log', '-1', '--format=%ct'], { quiet: true });
  return /^\d+$/.test(committed.output.trim()) ? committed.output.trim() : '0';
}

/**
 * Builds the archive. Call it after the build.
 * @returns the path of the archive
 */
export function bundleServer({ folder = join(root, 'artefacts'), node } = {}) {
  const work = join(folder, 'bundle');
  const name = `fixpoint-server-${version}`;
  rmSync(work, { recursive: true, force: true });
  const platform = writeBundle(join(work, name), node);
  const archive = join(folder, `${name}-${platform}${node === undefined ? '' : '-with-node'}.tgz`);
  const order = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go+rX,go-w'];
  const packed = run(
    'tar',
    [...order, `--mtime=@${sourceTime()}`, '-C', work, '-I', 'gzip -n', '-cf', archive, name],
    {
      quiet: true,
    },
  );
  rmSync(work, { recursive: true, force: true });
  if (!packed.ok) throw new Error(`cannot write ${archive}: ${packed.output}`);
  return archive;
}

const USAGE = 'Usage: npm run bundle -- [--with-node[=PATH]] [--deb]\n';

async function main(args) {
  const known = /^--(deb|with-node(=.+)?)$/;
  if (!args.every((each) => known.test(each))) refuse(USAGE.trim());
  requireNode();
  ensureInstalled();
  await ensureBuilt();
  const withNode = args.find((each) => each.startsWith('--with-node'));
  const node = withNode === undefined ? undefined : (withNode.split('=')[1] ?? process.execPath);
  const made = [bundleServer({ node })];
  if (args.includes('--deb'))
    made.push(debianPackage({ bundle: made[0], hasNode: node !== undefined, time: sourceTime() }));
  for (const path of made) process.stdout.write(`${relative(root, path)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
