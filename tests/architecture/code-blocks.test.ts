/** Checks the code in the documentation: TypeScript compiles, components compile, data parses. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { compile as compileSvelte } from 'svelte/compiler';
import { describe, expect, test } from 'vitest';
import { compileScript, parse as parseVue } from 'vue/compiler-sfc';
import { parse as parseYaml } from 'yaml';
import { type CodeBlock, codeBlocksOf, documentedPages, moduleOf } from './code-blocks.fixture.ts';
import { GIVEN, MODULES } from './code-blocks-given.fixture.ts';

const TYPED = ['ts', 'tsx', 'js', 'jsx'];
/** Languages that are checked below, and text that isn't code. */
const KNOWN = [...TYPED, 'html', 'sh', 'json', 'yaml', 'ini', 'text', ''];

const blocks = documentedPages().flatMap((page) => codeBlocksOf(page));
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));
const placeOf = ({ page, at }: CodeBlock) => `${page}:${at + 1}`;
/** The compiler keeps what it knows of the packages in this folder, so later runs are quick. */
const folder = join('artefacts', 'code-blocks');

const OPTIONS = {
  extends: resolve('tsconfig.tests.json'),
  compilerOptions: {
    tsBuildInfoFile: './checked.tsbuildinfo',
    // Most applications set none of these options.
    exactOptionalPropertyTypes: false,
    noUncheckedIndexedAccess: false,
    noPropertyAccessFromIndexSignature: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    isolatedModules: false,
  },
  include: ['**/*.ts', '**/*.tsx'],
};

/** Compiles pages, and returns the errors in them, as `page:line message`. */
function errorsIn(pages: ReadonlyMap<string, string>): string[] {
  rmSync(join(folder, 'pages'), { recursive: true, force: true });
  for (const [path, content] of pages) {
    mkdirSync(dirname(join(folder, 'pages', path)), { recursive: true });
    writeFileSync(join(folder, 'pages', path), content);
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(OPTIONS));
  const { stdout } = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', folder], {
    encoding: 'utf8',
  });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith(`${folder}/pages/`))
    .map((line) => line.slice(`${folder}/pages/`.length).replace(/\.tsx\((\d+),\d+\)/, ':$1'));
}

describe('code in the documentation', () => {
  test('is in a language that is checked', () => {
    expect(blocks.filter(({ language }) => !KNOWN.includes(language)).map(placeOf)).toEqual([]);
    expect(inLanguage(...TYPED).length).toBeGreaterThan(50);
  });

  test('compiles if it is TypeScript, each block with the names of the blocks before it', () => {
    const wrong = '# A page\n\n```ts\nconst a = 1;\n```\n\n```ts\nconst b = a;\nb satisfies string;\n```\n';
    const pages = new Map(Object.entries(MODULES));
    const all = [...inLanguage(...TYPED), ...codeBlocksOf('wrong.md', wrong)];
    for (const page of new Set(all.map((block) => block.page))) {
      const ofPage = all.filter((block) => block.page === page);
      pages.set(`${page}.tsx`, moduleOf(ofPage, GIVEN[page]));
    }
    expect(errorsIn(pages)).toEqual([expect.stringMatching(/^wrong\.md:9: error TS1360:/)]);
  });

  test('compiles if it is a component of Vue or Svelte', () => {
    // Whole pages run in the test of the tutorial.
    const components = inLanguage('html').filter(({ code }) => !code.startsWith('<!doctype'));
    for (const block of components) {
      if (!block.code.includes('<template>')) {
        expect(compileSvelte(block.code, { generate: 'client' }).warnings, placeOf(block)).toEqual([]);
        continue;
      }
      const { descriptor, errors } = parseVue(block.code);
      const options = { id: 'a', inlineTemplate: true };
      expect([...errors, compileScript(descriptor, options).warnings ?? []], placeOf(block)).toEqual([[]]);
    }
    expect(components.length).toBeGreaterThan(3);
  });

  test('parses if it is JSON or YAML, where `...` and `[...]` leave something out', () => {
    for (const block of inLanguage('json')) {
      const whole = block.code.replaceAll(/([[{,]) ?\.\.\.(?=[\]} ])/g, '$1');
      expect(() => JSON.parse(whole), placeOf(block)).not.toThrow();
    }
    for (const block of inLanguage('yaml')) expect(() => parseYaml(block.code), placeOf(block)).not.toThrow();
    for (const block of inLanguage('ini'))
      expect(block.code.split('\n').filter((line) => !/^(\[\w+\]|\w+=.*|#.*|)$/.test(line))).toEqual([]);
  });
});

describe('a command in the documentation', () => {
  const scripts = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).scripts);
  const [, listed = ''] =
    /COMMANDS: [^=]*= \{\n(.*?)\n\};/s.exec(readFileSync('packages/cli/src/main.ts', 'utf8')) ?? [];
  const commands = [...listed.matchAll(/^ {2}['[]?([\w-]+)/gm)].map(([, name]) => name ?? '');
  /** Scripts of the examples and of the tutorial, which aren't those of the repository. */
  const OF_APPLICATIONS = ['dev', 'build', 'preview', 'check'];

  test('has the syntax of a shell', () => {
    for (const block of inLanguage('sh')) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block.code, encoding: 'utf8' });
      expect(stderr, placeOf(block)).toBe('');
      expect(status).toBe(0);
    }
  });

  test('exists, if it is a script of npm or a command of fixpoint', () => {
    const unknown = inLanguage('sh').flatMap((block) => [
      ...[...block.code.matchAll(/\bnpm run (?:-s )?([\w:-]+)/g)]
        .filter(([, name = '']) => ![...scripts, ...OF_APPLICATIONS].includes(name))
        .map(([found]) => `${placeOf(block)} ${found}`),
      ...[...block.code.matchAll(/(?:^|npx |bin\/|sudo )(?:@?fixpoint(?:\/cli|-server)?) ([a-z][\w-]*)/gm)]
        .filter(([, name = '']) => ![...commands, 'help'].includes(name))
        .map(([found]) => `${placeOf(block)} ${found}`),
    ]);
    expect(commands.length).toBeGreaterThan(15);
    expect(unknown).toEqual([]);
  });
});
