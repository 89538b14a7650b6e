/** Checks that what packages export is built from a source that exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ENTRIES } from '../../scripts/bundle-node.mjs';

type Target = string | { readonly [condition: string]: Target };

/** Returns all paths of an `exports` field. */
const pathsOf = (target: Target): string[] =>
  typeof target === 'string' ? [target] : Object.values(target).flatMap(pathsOf);

/** Returns the source of a built file; undefined if no build creates the file. */
function sourceOf(name: string, path: string): string | undefined {
  const [, bundled] = /^\.\/dist\/node\/([\w-]+)\.js$/.exec(path) ?? [];
  if (bundled !== undefined) {
    const source = ENTRIES[name]?.[bundled];
    return source && join('src', source);
  }
  const built = /^\.\/dist\/(.+)\.(?:js|d\.ts)$/.exec(path);
  return built ? join('src', `${built[1]}.ts`) : path;
}

const packages = readdirSync('packages').map((name) => {
  const text = readFileSync(join('packages', name, 'package.json'), 'utf8');
  return { name, paths: pathsOf((JSON.parse(text) as { exports?: Target }).exports ?? {}) };
});

describe('the exports of packages', () => {
  test('names only files that a build creates from a source', () => {
    const missing = packages.flatMap(({ name, paths }) =>
      paths.filter((path) => {
        const source = sourceOf(name, path);
        return source === undefined || !existsSync(join('packages', name, source));
      }),
    );
    expect(missing).toEqual([]);
    expect(packages.flatMap(({ paths }) => paths).length).toBeGreaterThan(30);
  });

  test('uses the bundle at each entry of a package, because two copies would not share state', () => {
    for (const name of Object.keys(ENTRIES)) {
      const { paths } = packages.find((one) => one.name === name) as (typeof packages)[number];
      const bundled = paths.filter((path) => path.startsWith('./dist/node/'));
      expect(bundled.sort()).toEqual(
        Object.keys(ENTRIES[name] ?? {})
          .map((entry) => `./dist/node/${entry}.js`)
          .sort(),
      );
    }
  });
});
