/**
 * Prepares everything that other scripts need: Node, packages, the build, and a browser for tests.
 * This file imports only Node modules, because packages may be missing.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buildStamp = join(root, 'node_modules', '.cache', 'fixpoint-built');
const NODE_MIN = [20, 19];

/** Prints one line and exits with a failure. */
export function refuse(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}

export function requireNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]))
    refuse(`Fixpoint needs Node ${NODE_MIN.join('.')} or later; this is ${process.versions.node}.`);
}

/**
 * Runs a command in the workspace. The command's output goes to stderr, so that stdout contains
 * only the output of the product.
 */
export function run(command, args, { env = {}, quiet = false } = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
    encoding: 'utf8',
  });
  return { ok: done.status === 0, output: `${done.stdout ?? ''}${done.stderr ?? ''}`, error: done.error };
}

/** Runs a command in the workspace without blocking this process. */
export function runBeside(command, args, { env = {}, quiet = false } = {}) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2],
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (part) => said.push(part));
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ ok: false, output: `${error.message}\n`, error }));
    child.on('close', (code) => resolve({ ok: code === 0, output: Buffer.concat(said).toString() }));
  });
}

const hashOf = (text) => createHash('sha256').update(text).digest('hex');
const textAt = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/**
 * Runs `npm ci` if no packages are installed, or if the lock file changed since they were
 * installed.
 */
export const ensureInstalled = () => ensureInstalledIn(root, 'packages', []);

/**
 * Installs the products that the benchmark compares with Fixpoint. Nothing else needs these
 * products, and none of them needs install scripts.
 */
export const ensurePeers = () =>
  ensureInstalledIn(join(root, 'bench'), 'products that the benchmark compares', [
    '--ignore-scripts',
    '--prefix',
    'bench',
  ]);

/** Installs the existing client that the interoperability tests use. */
export const ensureExistingClient = () =>
  ensureInstalledIn(join(root, 'tests', 'interop'), 'client for the interoperability tests', [
    '--ignore-scripts',
    '--prefix',
    'tests/interop',
  ]);

/** Installs the older React version that the tests of the hooks use. */
export const ensureOlderReact = () =>
  ensureInstalledIn(join(root, 'tests', 'react-18'), 'React 18 for the tests of hooks', [
    '--ignore-scripts',
    '--prefix',
    'tests/react-18',
  ]);

function ensureInstalledIn(folder, what, options) {
  const wanted = hashOf(textAt(join(folder, 'package-lock.json')));
  const stamp = join(folder, 'node_modules', '.fixpoint-installed');
  if (existsSync(join(folder, 'node_modules', '.package-lock.json')) && textAt(stamp) === wanted) return;
  process.stderr.write(`Installing ${what} ...\n`);
  const { ok } = run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error', ...options]);
  if (!ok) refuse(`Could not install ${what}: see the output of npm above.`);
  writeFileSync(stamp, wanted);
}

const BUILD_INPUT = /\.(ts|tsx|css|html|json|js|mjs|svg|webmanifest)$/;
const NOT_INPUT = new Set(['node_modules', 'dist', 'dist-types', 'tests', 'vectors']);

function* inputsBelow(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!NOT_INPUT.has(entry.name)) yield* inputsBelow(path);
    } else if (BUILD_INPUT.test(entry.name) && !/\.test\.tsx?$/.test(entry.name)) yield path;
  }
}

function sourcesHash() {
  const hash = createHash('sha256');
  for (const path of [...inputsBelow(join(root, 'packages'))].sort())
    hash.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  return hash
    .update(textAt(join(root, 'tsconfig.base.json')))
    .update(textAt(join(root, 'package-lock.json')))
    .digest('hex');
}

/** Files that a build creates. If one is missing, the build must run again. */
const BUILT = [
  'packages/cloud/dist/main.js',
  'packages/engine/dist/entries/node.js',
  'packages/engine/dist/node/index.js',
  'packages/cloud/dist/server/node/main.js',
  'packages/console/dist/index.html',
];

/** Compiles the packages and the console when a source changed since the last build. */
export async function ensureBuilt() {
  const wanted = sourcesHash();
  if (textAt(buildStamp) === wanted && BUILT.every((path) => existsSync(join(root, path)))) return;
  // In parallel, because none of these steps uses the result of another one.
  const steps = [
    ['compile the packages', tsc, ['-b']],
    ['bundle the packages for Node', process.execPath, ['scripts/bundle-node.mjs']],
    ['build the console', bin('vite'), ['build', 'packages/console', '--logLevel', 'warn']],
  ];
  process.stderr.write(`Building in ${steps.length} steps ...\n`);
  const from = Date.now();
  let finished = 0;
  const step = async ([what, command, args]) => {
    const { ok, output } = await runBeside(command, args, { env: { NODE_ENV: 'production' }, quiet: true });
    process.stderr.write(output);
    if (!ok) refuse(`The build failed at: ${relative(root, command)} ${args.join(' ')}`);
    const seconds = ((Date.now() - from) / 1000).toFixed(0);
    process.stderr.write(`Step ${++finished} of ${steps.length} finished after ${seconds} s: ${what}\n`);
  };
  await Promise.all(steps.map(step));
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, wanted);
}

export const bin = (name) => join(root, 'node_modules', '.bin', name);

/**
 * Path of the compiler. The path is explicit because the package `typescript-api` has a command of
 * the same name.
 */
export const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');

/**
 * The headless shell has Chromium's engine without its windows. It is first, because the browser
 * tests need a fifth less processor time with it.
 */
const CHROMIUM_NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

export function findChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named) return existsSync(named) && statSync(named).isFile() ? named : undefined;
  const folders = (process.env.PATH ?? '').split(':').concat('/usr/bin', '/usr/local/bin');
  return CHROMIUM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) =>
    existsSync(path),
  );
}

const mayInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

function install(name) {
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-qq'], { env, quiet: true });
  return run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env, quiet: true });
}

/**
 * Returns the path of Firefox for tests. If there is no Firefox, installs Debian's when this
 * process may install packages, else returns undefined.
 */
export function ensureFirefox() {
  const path = process.env.FIREFOX_PATH ?? '/usr/bin/firefox-esr';
  if (!existsSync(path) && mayInstall()) {
    process.stderr.write('Installing Firefox ...\n');
    install('firefox-esr');
  }
  return existsSync(path) ? path : undefined;
}

/**
 * Returns the path of the browser for tests. If there is no browser, installs Debian's Chromium
 * when this process may install packages; otherwise prints what to do and exits.
 */
export function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  if (process.env.CHROMIUM_PATH) refuse(`CHROMIUM_PATH is not a file: ${process.env.CHROMIUM_PATH}`);
  if (!mayInstall())
    refuse(
      'The tests need Chromium. Install it (Debian: sudo apt-get install chromium), or set CHROMIUM_PATH to a browser.',
    );
  process.stderr.write('Installing Chromium ...\n');
  if (!install('chromium-headless-shell').ok) install('chromium');
  return (
    findChromium() ??
    refuse('Could not install Chromium with apt-get. Install it yourself, or set CHROMIUM_PATH.')
  );
}
