/** Checks that each example is an application of its own: `npm create fixpoint` copies it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeTemplates } from '../../scripts/templates.mjs';

const LINES_MAX = 299;
const folder = mkdtempSync(join(tmpdir(), 'fixpoint-templates-'));
const examples = readdirSync('examples').sort();
const readme = readFileSync('packages/create/README.md', 'utf8');
const guide = readFileSync('docs/guide/examples.md', 'utf8');

interface Manifest {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

const manifestIn = (at: string) => JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest;
const filesOf = (example: string) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', `examples/${example}`], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '');
const isSource = (path: string) => /\.(tsx?|jsx?|vue|svelte|html|css)$/.test(path);
const linesOf = (example: string) =>
  filesOf(example)
    .filter(isSource)
    .reduce((sum, path) => sum + readFileSync(path, 'utf8').trimEnd().split('\n').length, 0);

beforeAll(() => writeTemplates(folder));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(examples)('the example %s', (name) => {
  test(`has at most ${LINES_MAX} lines of scripts, styles and pages`, () => {
    const lines = linesOf(name);
    expect(lines).toBeLessThanOrEqual(LINES_MAX);
    expect(lines).toBeGreaterThan(50);
  });

  test('imports only its own files and packages that it depends on', () => {
    const { dependencies, devDependencies } = manifestIn(join('examples', name));
    const known = new Set(Object.keys({ ...dependencies, ...devDependencies }));
    const imports = filesOf(name)
      .filter((path) => isSource(path) && !path.endsWith('.html'))
      .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/^import (?:.* from )?'([^']+)'/gm)])
      .map(([, target = '']) => target);
    expect(imports.length).toBeGreaterThan(0);
    const foreign = imports.filter((target) => {
      const [, packageName = ''] = /^((?:@[^/]+\/)?[^/]+)/.exec(target) ?? [];
      return !/^(\.\/|node:)/.test(target) && !known.has(packageName);
    });
    expect(foreign).toEqual([]);
  });

  test('is in the gallery, with its lines, its command and a small picture, and in the README of create-fixpoint', () => {
    const entry = guide.split(/^##+ /m).find((part) => part.startsWith(`${name}\n`)) ?? '';
    expect(entry).toMatch(new RegExp(`; ${linesOf(name)} lines\\.\\*\\* \\[${name}\\]`));
    expect(entry).toContain(`npm create fixpoint my-app -- --template ${name}\n`);
    const picture = `images/examples/${name}.png`;
    expect(entry).toContain(`](../${picture})`);
    expect(statSync(`docs/${picture}`).size).toBeLessThan(60_000);
    expect(readme).toContain(`| \`${name}\` |`);
  });

  test('becomes a template with the same files and the released versions of our packages', () => {
    const at = join(folder, name);
    const copied = readdirSync(at, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(at.length + 1));
    const original = filesOf(name).map((path) => path.slice(`examples/${name}/`.length));
    expect(copied.sort()).toEqual([...original, '_gitignore'].sort());
    const { version } = JSON.parse(readFileSync('packages/engine/package.json', 'utf8')) as {
      version: string;
    };
    const manifest = manifestIn(at);
    expect(manifest).toMatchObject({ name, dependencies: { fixpoint: version } });
    expect(manifest.scripts).toHaveProperty('dev');
    expect(manifest.license).toBeUndefined();
    expect(manifest.description).not.toBe('');
    for (const wanted of Object.values({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(wanted).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

test('leaves settings, built files and packages of this machine out of templates', () => {
  const from = join(folder, 'of-a-machine');
  const manifest = { dependencies: { fixpoint: 'file:../../packages/engine' }, devDependencies: {} };
  const files = {
    'package.json': JSON.stringify(manifest),
    '.env': 'A=1',
    '.env.local': 'A=1',
    '.env.production.local': 'A=1',
    '.env.example': 'A=',
    'dist/index.js': '',
    'node_modules/a/index.js': '',
    'src/distance.js': '',
    'src/dist/built.js': '',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(from, 'app', path, '..'), { recursive: true });
    writeFileSync(join(from, 'app', path), text);
  }
  const to = join(folder, 'from-a-machine');
  writeTemplates(to, from);
  expect(readdirSync(join(to, 'app'), { recursive: true }).map(String).sort()).toEqual([
    '.env.example',
    '_gitignore',
    'package.json',
    'src',
    'src/distance.js',
  ]);
  expect(manifestIn(join(to, 'app')).dependencies['fixpoint']).toMatch(/^\d+\.\d+\.\d+$/);
  expect(readFileSync(join(to, 'app', '_gitignore'), 'utf8').split('\n')).toEqual(
    expect.arrayContaining(['node_modules', 'dist', '.env', '*.local']),
  );
});
