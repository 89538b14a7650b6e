/**
 * Limits that keep the code readable. They apply to the size of functions and folders, the number
 * of small files, repeated file names, and import cycles.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isTest, parsedSource, ringsOf, sources, tracked } from './tree.ts';

const FUNCTION_LINES_MAX = 80;
const ROOM_FILES_MAX = 20;
const SMALL_FILE_LINES = 30;
const SMALL_FILES_MAX = 29;
const SAME_NAME_MAX = 2;

const importers = new Map<string, string[]>();
for (const { path, imports } of sources)
  for (const target of imports) importers.set(target, [...(importers.get(target) ?? []), path]);

/** Groups `items` by a key. */
function groups<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(keyOf(item), [...(found.get(keyOf(item)) ?? []), item]);
  return found;
}

describe('sizes of the source tree', () => {
  test('finds sources, functions and imports', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap(({ functions }) => functions).length).toBeGreaterThan(3000);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(2000);
  });

  test(`has no function over ${FUNCTION_LINES_MAX} lines`, () => {
    const long = sources.flatMap(({ path, functions }) =>
      functions
        .filter(({ lines }) => lines > FUNCTION_LINES_MAX)
        .map(({ name, line, lines }) => `${path}:${line} ${name}: ${lines} lines`),
    );
    expect(long, 'Split each by subject; move shared state to an object that is the first argument').toEqual(
      [],
    );
  });

  test(`has no folder with more than ${ROOM_FILES_MAX} source files`, () => {
    const counted = sources.filter(({ path }) => !/\/(routes|migrations)\/[^/]+$/.test(path));
    const full = [...groups(counted, ({ path }) => dirname(path))]
      .filter(([, files]) => files.length > ROOM_FILES_MAX)
      .map(([folder, files]) => `${folder}: ${files.length} files`);
    expect(full, 'Put files that share a subject into a folder of that name').toEqual([]);
  });

  test('has no import cycle, including imports of types and lazy imports', () => {
    const rings = ringsOf(new Map(sources.map(({ path, imports }) => [path, imports])));
    expect(rings, 'Move shared types to a file that imports nothing from its room').toEqual([]);
  });

  test(`has at most ${SMALL_FILES_MAX} files that have at most ${SMALL_FILE_LINES} lines and only one importer`, () => {
    const small = sources
      // Migrations never change after their release, so each of them has its own file.
      .filter(({ path }) => !path.includes('/tables/migrations/'))
      .filter(({ path, lines }) => lines <= SMALL_FILE_LINES && importers.get(path)?.length === 1)
      .map(({ path }) => `${path} <- ${importers.get(path)}`);
    const advice = `Put small files back into the file that imports them:\n${small.join('\n')}`;
    expect(small.length, advice).toBeLessThanOrEqual(SMALL_FILES_MAX);
  });

  test(`gives the same name to at most ${SAME_NAME_MAX} files`, () => {
    const repeated = [...groups(sources, ({ path }) => basename(path))]
      .filter(([name, files]) => name !== 'index.ts' && files.length > SAME_NAME_MAX)
      .map(([name, files]) => `${name}: ${files.map(({ path }) => path).join(', ')}`);
    expect(repeated, 'Name each file after its purpose in its folder').toEqual([]);
  });
});

/**
 * Lines of tests for each line of source. In the packages, the console needs fewer lines of tests,
 * because `tests/system` also covers its pages.
 */
describe('lines of tests', () => {
  const linesOf = (wanted: (path: string) => boolean) =>
    tracked
      .filter((path) => /\.(tsx?|mjs)$/.test(path) && wanted(path))
      .reduce((sum, path) => sum + readFileSync(path, 'utf8').trimEnd().split('\n').length, 0);
  const isTestCode = (path: string) =>
    isTest(path) || /^tests\/|^packages\/[^/]+\/tests\/|\/src\/testing\//.test(path);
  const isSource = (path: string) => /^packages\/[^/]+\/src\//.test(path) && !isTestCode(path);

  test.each([
    { of: 'all packages', within: '', least: 1.1 },
    { of: 'the console', within: 'packages/console/', least: 0.6 },
  ])('has at least $least lines of tests for each line of source in $of', ({ within, least }) => {
    const tests = linesOf((path) => path.startsWith(within) && isTestCode(path));
    const source = linesOf((path) => path.startsWith(within) && isSource(path));
    expect(tests / source, `${tests} lines of tests, ${source} of source`).toBeGreaterThanOrEqual(least);
  });
});

describe('the reader of sources', () => {
  const read = (text: string) => parsedSource('packages/a/src/b/one.ts', text);

  test('counts the lines of all functions, including nested and anonymous ones', () => {
    const { functions } = read('const f = () => {\n  return [\n    () => 1,\n  ];\n};\n');
    expect(functions).toEqual([
      { name: 'f', line: 1, lines: 5 },
      { name: '(no name)', line: 3, lines: 1 },
    ]);
  });

  test('finds imports of values, imports of types, and lazy imports', () => {
    const { imports } = read(
      "import { a } from './a.ts';\nimport type { B } from '../b.ts';\nexport * from './c.ts';\n" +
        "const d = () => import('./d.ts');\ntype E = import('./e.ts').E;\nimport 'react';\n",
    );
    expect(imports.map((path) => path.replace('packages/a/src/', ''))).toEqual([
      'b/a.ts',
      'b.ts',
      'b/c.ts',
      'b/d.ts',
      'b/e.ts',
    ]);
  });

  test('finds import cycles', () => {
    const arrows = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [], f: ['a'] };
    expect(ringsOf(new Map(Object.entries(arrows)))).toEqual([['a', 'b', 'c']]);
  });
});
