import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bundleServer } from '../../scripts/bundle.mjs';
import { removeFolder, temporaryFolder } from './product.fixture.ts';
import {
  canCutNetwork,
  folderForBundles,
  type InstalledReport,
  onlyPrograms,
  runAlone,
  withoutNetwork,
  withServerBundle,
} from './server-bundle.fixture.ts';

const bundle = withServerBundle();
/** Building once more takes seconds, so that only longer runs do it. */
const isQuick = (process.env['FIXPOINT_BUDGET'] ?? 'commit') === 'commit';
const PROGRAMS = { sh: '/bin/sh', dirname: '/usr/bin/dirname', readlink: '/usr/bin/readlink' };

function newFolder(): string {
  const folder = temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  return folder;
}

/** Runs the command of the bundle, and returns its exit code and its output. */
function launch(home: string, env: Record<string, string>, ...args: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(join(home, 'bin/fixpoint'), args, { env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the bundle of the server', () => {
  test.skipIf(!canCutNetwork)(
    'serves, syncs, backs up and stops without npm, a compiler and a network (skipped where unshare is not permitted)',
    async () => {
      const { home } = bundle;
      const folder = newFolder();
      const PATH = onlyPrograms(folder, { ...PROGRAMS, node: process.execPath });
      const command = [
        process.execPath,
        resolve('tests/system/installed-server.mjs'),
        join(home, 'bin/fixpoint'),
        join(home, 'lib'),
        folder,
      ];
      const alone = ['env', '-i', `PATH=${PATH}`, `HOME=${folder}`, ...command];
      const output = await runAlone(withoutNetwork(alone), { PATH: process.env['PATH'] ?? '' });
      const report = JSON.parse(output) as InstalledReport;
      expect(report).toMatchObject({
        page: 200,
        isConsole: true,
        title: 'Buy milk',
        backup: { status: 0 },
        check: { status: 0, last: expect.stringContaining('1 objects match') },
        verified: { status: 0 },
        stopped: 0,
      });
    },
  );

  test.skipIf(!canCutNetwork)(
    'has no network in the previous test (skipped where unshare is not permitted)',
    async () => {
      const script = "fetch('http://192.0.2.1/').catch(({ cause }) => console.log(cause.code))";
      const output = await runAlone(withoutNetwork([process.execPath, '-e', script]), {
        PATH: process.env['PATH'] ?? '',
      });
      expect(output).toBe('ENETUNREACH\n');
    },
  );

  test('contains the licences of all packages, and no tools, declarations or source maps', () => {
    const { home, archive } = bundle;
    expect(archive).toMatch(new RegExp(`/fixpoint-server-\\d+\\.\\d+\\.\\d+-linux-${process.arch}\\.tgz$`));
    const files = readdirSync(home, { recursive: true }).map(String);
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'bin/fixpoint']));
    expect(files.filter((file) => /\.map$|\.d\.[cm]?ts$|\.tsbuildinfo$|-musl/.test(file))).toEqual([]);
    for (const name of ['vite', 'typescript', 'react', 'vitest'])
      expect(files).not.toContain(`lib/node_modules/${name}`);
    const licences = readFileSync(join(home, 'THIRD_PARTY_LICENSES.txt'), 'utf8');
    const packages = files.filter((file) => /node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(file));
    expect(packages.length).toBeGreaterThan(50);
    for (const file of packages) {
      const { name, version, license } = JSON.parse(readFileSync(join(home, file), 'utf8'));
      const isOurs = name === 'fixpoint' || name.startsWith('@fixpoint/');
      if (!isOurs) expect(licences).toContain(`\n${name} ${version} (${license})\n`);
    }
  });

  test.skipIf(isQuick)('contains the same bytes after a second build (only by night)', () => {
    const { archive } = bundle;
    const folder = folderForBundles();
    onTestFinished(() => removeFolder(folder));
    const again = bundleServer({ folder });
    expect(readFileSync(again).equals(readFileSync(archive))).toBe(true);
  });

  test('runs through a link, and reads variables from a file without replacing others', () => {
    const { home } = bundle;
    const folder = newFolder();
    const link = join(folder, 'fixpoint');
    symlinkSync(join(home, 'bin/fixpoint'), link);
    const file = join(folder, 'settings');
    writeFileSync(file, "PORT=wrong\nDATABASE_URL='mysql://user:secret#1@host/name'\n");
    const env = { PATH: process.env['PATH'] ?? '', FIXPOINT_ENV_FILE: file };
    const serve = (more: Record<string, string>) =>
      spawnSync(link, ['serve'], { cwd: folder, env: { ...env, ...more }, encoding: 'utf8' });
    expect(serve({}).stderr).toContain('PORT=wrong');
    const answered = serve({ PORT: '0' });
    expect(answered).toMatchObject({ status: 1, stderr: expect.stringContaining('DATABASE_URL must be') });
    expect(answered.stderr).not.toContain('secret');
    expect(serve({ FIXPOINT_ENV_FILE: join(folder, 'none') })).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Cannot read FIXPOINT_ENV_FILE='),
    });
  });

  test('says what is missing without Node, with an old Node, and on another machine', () => {
    const { home } = bundle;
    const folder = newFolder();
    const PATH = onlyPrograms(folder, PROGRAMS);
    expect(launch(home, { PATH }, 'help')).toMatchObject({
      status: 1,
      stderr: 'Fixpoint needs Node 20.19 or later: install it, or set FIXPOINT_NODE to its path.\n',
    });
    const preload = (text: string) => {
      writeFileSync(join(folder, 'preload.cjs'), text);
      return { PATH, FIXPOINT_NODE: process.execPath, NODE_OPTIONS: `--require=${folder}/preload.cjs` };
    };
    const versions = "{ ...process.versions, node: '18.20.4' }";
    const old = preload(`Object.defineProperty(process, 'versions', { value: ${versions} });`);
    expect(launch(home, old, 'help')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Fixpoint needs Node 20\.19 or later; .* is 18\.20\.4\.\n$/),
    });
    const other = preload("Object.defineProperty(process, 'arch', { value: 'riscv64' });");
    expect(launch(home, other, 'help')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('and this machine is linux-riscv64 (glibc).'),
    });
    expect(launch(home, { PATH, FIXPOINT_NODE: process.execPath }, 'help')).toMatchObject({ status: 0 });
  });

  test('is readable by everybody and writable only by its owner', () => {
    const listed = execFileSync('tar', ['-tvzf', bundle.archive], { encoding: 'utf8' });
    const lines = listed.trim().split('\n');
    expect(
      lines.filter((line) => !/^(drwxr-xr-x|-rwxr-xr-x|-rw-r--r--|lrwxrwxrwx) 0\/0 /.test(line)),
    ).toEqual([]);
  });
});
