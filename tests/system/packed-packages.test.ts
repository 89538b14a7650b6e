/**
 * The packed packages in new folders outside the repository, as users install them: in Node, in
 * applications that `npm create fixpoint` creates, and as a server with the console.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import type { Browser } from 'playwright-core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { packAll } from '../../scripts/pack.mjs';
import { codeBlocksOf } from '../architecture/code-blocks.fixture.ts';
import { launchChromium, readyUrl, removeFolder, temporaryFolder, visitor } from './product.fixture.ts';

const folder = temporaryFolder();
const packed = join(folder, 'packed');
const execute = promisify(execFile);
let archives: Readonly<Record<string, string>>;
let browser: Browser;
/** One installation for an application of each template: `apps/<template>`. */
const installed = join(folder, 'installed');
interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const manifestIn = (at: string) => JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest;

/** Next is large, so `next.test.ts` installs it by night. */
const templates = readdirSync('examples')
  .filter((name) => manifestIn(join('examples', name)).dependencies?.['next'] === undefined)
  .sort();
const application = join(installed, 'apps', 'react-notes');
const VITE = join(installed, 'node_modules/vite/bin/vite.js');

/** Makes a package use our packed packages, also for the dependencies of these packages. */
function writeManifest(at: string, manifest: object): void {
  const overrides = Object.fromEntries(
    Object.entries(archives).map(([name, archive]) => [name, `file:${archive}`]),
  );
  writeFileSync(join(at, 'package.json'), JSON.stringify({ ...manifest, overrides }, null, 2));
}

/** Returns dependencies in which our packages are the packed ones. */
const usingPacked = (dependencies: Record<string, string> = {}) =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [
      name,
      archives[name] === undefined ? version : `file:${archives[name]}`,
    ]),
  );

/** Returns the names of all packages that an application needs to run. */
function dependenciesOf(at: string, found = new Set<string>()): Set<string> {
  for (const name of Object.keys(manifestIn(at).dependencies ?? {})) {
    if (found.has(name)) continue;
    dependenciesOf(join(installed, 'node_modules', name), found.add(name));
  }
  return found;
}

const install = (at: string) =>
  execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: at });

/** Runs a program in a folder, without the settings of this repository and its test runner. */
async function output(at: string, command: string, args: readonly string[]): Promise<string> {
  const { NODE_ENV, NODE_OPTIONS, VITEST, ...env } = process.env;
  return (await execute(command, [...args], { cwd: at, env })).stdout;
}

const endOf = (child: ChildProcess) => new Promise<number | null>((resolve) => child.once('exit', resolve));

beforeAll(async () => {
  archives = packAll(packed);
  browser = await launchChromium();
  const unpacked = join(folder, 'create-fixpoint');
  mkdirSync(unpacked);
  mkdirSync(join(installed, 'apps'), { recursive: true });
  await execute('tar', ['-xzf', archives['create-fixpoint'] ?? '', '-C', unpacked]);
  const create = join(unpacked, 'package/bin/create-fixpoint.mjs');
  for (const name of templates)
    await output(join(installed, 'apps'), process.execPath, [create, name, '--template', name]);
  writeManifest(installed, { private: true, workspaces: ['apps/*'] });
  await install(installed);
});

afterAll(async () => {
  await browser?.close();
  removeFolder(folder);
});

describe('each packed package', () => {
  test('contains a README and a licence, but no source maps and no records of the compiler', () => {
    const names = readdirSync(join(packed, 'unpacked'));
    expect(names.length).toBe(12);
    for (const name of names) {
      const files = readdirSync(join(packed, 'unpacked', name), { recursive: true }).map(String);
      expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'package.json']));
      expect(
        files.filter(
          (file) => /\.map$|tsbuildinfo|^(?!templates\/).*\.tsx?$/.test(file) && !file.endsWith('.d.ts'),
        ),
      ).toEqual([]);
      for (const file of files.filter((one) => /\.(js|d\.ts|json)$/.test(one)))
        expect(
          readFileSync(join(packed, 'unpacked', name, file), 'utf8').match(
            /sourceMappingURL=|fixpoint-source/g,
          ),
          file,
        ).toBeNull();
    }
  });

  test('prints a short text for an error that nobody catches in Node', async () => {
    const script = `import('fixpoint').then(({ fixpoint }) => fixpoint('tasks').get(''));`;
    const failed = output(application, process.execPath, ['-e', script]);
    const stderr = await failed.catch((cause: { readonly stderr: string }) => cause.stderr);
    expect(stderr).toContain("code: 'DOC_ID_REQUIRED'");
    expect(stderr.length).toBeLessThan(2000);
  });

  test('satisfies publint and Are The Types Wrong, as a package of ES modules', async () => {
    for (const name of readdirSync(join(packed, 'unpacked'))) {
      const { messages } = await publint({
        pkgDir: join(packed, 'unpacked', name),
        pack: false,
        strict: true,
      });
      expect(messages, name).toEqual([]);
    }
    for (const [name, archive] of Object.entries(archives)) {
      const found = await checkPackage(createPackageFromTarballData(readFileSync(archive)));
      // Node 20.19 and later loads ES modules with `require`, which this tool doesn't know. Old
      // resolution without `exports` isn't supported.
      const problems = (found.types === false ? [] : found.problems).filter(
        ({ kind, ...rest }) =>
          kind !== 'CJSResolvesToESM' && !('resolutionKind' in rest && rest.resolutionKind === 'node10'),
      );
      expect(problems, name).toEqual([]);
    }
  });

  test('gives a client one validator, no build tools and no server', () => {
    const names = dependenciesOf(application);
    const { dependencies } = manifestIn(join(packed, 'unpacked', 'engine'));
    expect(Object.keys(dependencies ?? {}).sort()).toEqual([
      '@fixpoint/protocol',
      '@jitl/quickjs-ng-wasmfile-release-sync',
      'quickjs-emscripten-core',
      'ws',
    ]);
    expect([...names]).toEqual(expect.arrayContaining(['fixpoint', '@fixpoint/react', 'valibot']));
    expect(
      [...names].filter((name) => /^(zod|better-auth|typescript|vite|@codemirror\/.*)$/.test(name)),
    ).toEqual([]);
  });

  test('runs in Node as an ES module and with require', async () => {
    const script = `const db = fixpoint('tasks');
      (async () => {
        const { id } = await db.put({ title: 'Buy milk', done: false });
        const { docs } = await db.find({ where: { done: false } });
        console.log((await db.get(id)).title, docs.length);
        await db.close();
      })();`;
    writeFileSync(join(application, 'module.mjs'), `import { fixpoint } from 'fixpoint';\n${script}`);
    writeFileSync(join(application, 'required.cjs'), `const { fixpoint } = require('fixpoint');\n${script}`);
    expect(await output(application, process.execPath, ['module.mjs'])).toBe('Buy milk 1\n');
    expect(await output(application, process.execPath, ['required.cjs'])).toBe('Buy milk 2\n');
  });

  test('runs the first program of the README, as it stands', async () => {
    const [block] = codeBlocksOf('README.md').filter(({ language }) => language === 'ts');
    writeFileSync(join(application, 'hello.mjs'), block?.code ?? '');
    const said = await output(application, process.execPath, ['hello.mjs']);
    expect(said).toMatch(/^changed \[\s*\{\s*_id: '[^']+',[^}]*title: 'Buy milk'\s*\}\s*\]\n/);
    expect(said).toContain("key: 'Buy milk'");
  });

  test('shows the databases of an application that Vite serves', async () => {
    const vite = spawn(process.execPath, [VITE, '--host', '127.0.0.1', '--port', '0'], {
      cwd: application,
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const url = new URL(await readyUrl(vite, endOf(vite))).origin;
      const { page, context, problems } = await visitor(browser);
      await page.goto(url);
      await page.getByLabel('Note').fill('written by an installed package');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.getByRole('listitem').filter({ hasText: 'written by an installed package' }).waitFor();
      await page.goto(`${url}/fp/databases/notes`);
      await page.getByText('written by an installed package').first().waitFor();
      expect(problems).toEqual([]);
      await context.close();
    } finally {
      vite.kill();
    }
  });

  test.each(templates)(
    'creates an application of the template %s, which compiles and builds',
    async (name) => {
      const app = join(installed, 'apps', name);
      const { version } = JSON.parse(readFileSync('packages/engine/package.json', 'utf8')) as {
        version: string;
      };
      const manifest = manifestIn(app);
      const own = { ...manifest.dependencies, ...manifest.devDependencies };
      expect(manifest).toMatchObject({ name, version: '0.0.0', private: true });
      expect(Object.entries(own).filter(([one]) => archives[one] !== undefined)).toEqual(
        expect.arrayContaining([['fixpoint', version]]),
      );
      for (const [one, wanted] of Object.entries(own)) expect(wanted, one).toMatch(/^\d+\.\d+\.\d+$/);
      expect(readFileSync(join(app, '.gitignore'), 'utf8')).toContain('node_modules\n');
      expect(readdirSync(app)).not.toContain('_gitignore');

      if (existsSync(join(app, 'tsconfig.json')))
        expect(await output(app, 'npm', ['run', 'check'])).toContain('tsc');
      await output(app, process.execPath, [VITE, 'build']);
      expect(readdirSync(join(app, 'dist', 'assets')).some((file) => file.endsWith('.js'))).toBe(true);
      expect(existsSync(join(app, 'dist', 'worker.js'))).toBe(name === 'shopping-list');
    },
  );

  test('starts the same server and console with one command', async () => {
    const server = join(folder, 'server');
    mkdirSync(server);
    writeManifest(server, { dependencies: usingPacked({ '@fixpoint/cli': '' }) });
    await install(server);
    const child = spawn('npx', ['--no-install', 'fixpoint', 'serve', '--port', '0'], {
      cwd: server,
      env: { ...process.env, LOG_LEVEL: 'error' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    try {
      const url = await readyUrl(child, endOf(child));
      const { page, context, problems, shot } = await visitor(browser);
      await page.goto(`${url}/fp/databases`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.goto(url);
      await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
      await shot('packed-server');
      expect(problems).toEqual([]);
      await context.close();
      expect(await output(server, 'npx', ['--no-install', 'fixpoint', '--help'])).toContain('fixpoint serve');
    } finally {
      process.kill(-(child.pid as number), 'SIGTERM');
    }
  });
});
