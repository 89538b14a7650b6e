/**
 * Checks the types of components in Vue and Svelte, in the examples and in the guide. The checkers
 * need another version of TypeScript and many packages, so they are installed apart, and only
 * nightly runs include this test.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { codeBlocksOf } from '../architecture/code-blocks.fixture.ts';
import { removeFolder, temporaryFolder } from './product.fixture.ts';

const isSkipped = !['night', 'release'].includes(process.env['FIXPOINT_BUDGET'] ?? '');
const CHECKERS = { 'svelte-check': '4.7.8', typescript: '5.9.3', 'vue-tsc': '3.3.14' };

const execute = promisify(execFile);
const folder = temporaryFolder();
const checkers = join(folder, 'checkers');

/**
 * Checks JavaScript, too, with the types of the built packages. The examples are written without
 * types, so parameters and results may be anything there. The guide must satisfy strict types.
 */
const optionsOf = (strict: boolean) => ({
  ...{
    target: 'es2023',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2023', 'dom', 'dom.iterable'],
  },
  ...{ strict, noImplicitAny: false, skipLibCheck: true, noEmit: true, types: ['vite/client'] },
  ...{ allowJs: true, checkJs: true, isolatedModules: true },
});

/** Runs a checker on files, and returns what it prints. */
async function check(checker: 'vue-tsc' | 'svelte-check', name: string, files: Record<string, string>) {
  const at = join(folder, name);
  mkdirSync(at, { recursive: true });
  for (const [path, content] of Object.entries(files)) writeFileSync(join(at, path), content);
  return checkFolder(checker, at, at, true);
}

async function checkFolder(
  checker: 'vue-tsc' | 'svelte-check',
  sources: string,
  at: string,
  strict: boolean,
) {
  mkdirSync(at, { recursive: true });
  symlinkSync(resolve('node_modules'), join(at, 'node_modules'));
  const config = join(at, 'tsconfig.json');
  const include = ['ts', 'js', 'vue', 'svelte'].map((ending) => `${sources}/**/*.${ending}`);
  writeFileSync(config, JSON.stringify({ compilerOptions: optionsOf(strict), include }));
  const args =
    checker === 'vue-tsc'
      ? ['--noEmit', '-p', config]
      : ['--workspace', sources, '--tsconfig', config, '--output', 'machine', '--fail-on-warnings'];
  const program = join(checkers, 'node_modules', '.bin', checker);
  const { stdout } = await execute(program, args, { cwd: at }).catch((cause) => cause as { stdout: string });
  return stdout
    .split('\n')
    .filter((line) => /error|warn/i.test(line) && !/COMPLETED/.test(line))
    .map((line) => line.replaceAll(at, ''));
}

const blocks = codeBlocksOf('docs/guide/frameworks.md').filter(({ language }) => language === 'html');
const isVue = (code: string) => code.includes('<template>');

describe.skipIf(isSkipped)('the types of components (only by night)', () => {
  beforeAll(async () => {
    mkdirSync(checkers);
    writeFileSync(join(checkers, 'package.json'), JSON.stringify({ private: true, dependencies: CHECKERS }));
    await execute('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: checkers,
    });
  });
  afterAll(() => removeFolder(folder));

  test.each([
    ['vue-tsc', 'vue-list'],
    ['svelte-check', 'svelte-board'],
  ] as const)('satisfies %s in the example %s', async (checker, name) => {
    expect(await checkFolder(checker, resolve('examples', name, 'src'), join(folder, name), false)).toEqual(
      [],
    );
  });

  test('satisfies both checkers in the guide, which find a wrong field', async () => {
    const wrong = (code: string) => code.replaceAll('.docs', '.dox');
    const [vue = '', svelte = ''] = [isVue, (code: string) => !isVue(code)].map(
      (isMeant) => blocks.find(({ code }) => isMeant(code))?.code,
    );
    expect(await check('vue-tsc', 'vue', { 'list.vue': vue })).toEqual([]);
    expect(await check('svelte-check', 'svelte', { 'list.svelte': svelte })).toEqual([]);
    expect(await check('vue-tsc', 'wrong-vue', { 'list.vue': wrong(vue) })).not.toEqual([]);
    expect(await check('svelte-check', 'wrong-svelte', { 'list.svelte': wrong(svelte) })).not.toEqual([]);
  });
});
