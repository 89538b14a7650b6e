import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { DOORS, PLANS, type Plan } from './house.ts';
import { isTest, type Source, sources } from './tree.ts';

/**
 * Returns the first folder of a path below `root`, or undefined if the file is directly in `root`.
 */
function placeIn(root: string, path: string): string | undefined {
  if (!path.startsWith(`${root}/`)) return undefined;
  const [place, ...rest] = path.slice(root.length + 1).split('/');
  return rest.length === 0 ? undefined : place;
}

/** Lists imports that the plan forbids, each with the places that the importing place may use. */
function forbidden({ root, plan }: { root: string; plan: Plan }, tree: readonly Source[]): string[] {
  return tree.flatMap(({ path, imports, packages }) => {
    const place = placeIn(root, path);
    const allowed = place === undefined ? undefined : plan[place];
    if (place === undefined || allowed === undefined) return [];
    const targets = root === 'packages' ? packages.map((name) => `packages/${name}/index`) : imports;
    return targets.flatMap((target) => {
      const used = placeIn(root, target);
      if (used === undefined || used === place || allowed.includes(used)) return [];
      const may = allowed.join(', ') || 'nothing';
      return `${path} imports ${used} (${target}), but ${root}/${place} may use only ${may}`;
    });
  });
}

/** Lists places that the plan doesn't contain. The test of imports doesn't check these places. */
function unplanned({ root, plan }: { root: string; plan: Plan }): string[] {
  const places = new Set(sources.flatMap(({ path }) => placeIn(root, path) ?? []));
  return [...places].filter((place) => plan[place] === undefined);
}

const isForTests = (path: string) => path.includes('/src/testing/') || isTest(path);

describe('imports', () => {
  test.each(PLANS)('follows the plan of $root', (level) => {
    const advice = 'Move the code to a lower place, pass it as an argument, or change the plan in house.ts';
    expect(forbidden(level, sources), advice).toEqual([]);
  });

  test.each(PLANS)('finds every place of $root in its plan', (level) => {
    expect(unplanned(level), 'Add the folder, and the places that it may use, to house.ts').toEqual([]);
  });

  test.each(DOORS)('allows imports of $file only in $rooms', ({ file, rooms }) => {
    const others = sources.filter(
      ({ path, imports }) => imports.includes(file) && !rooms.some((room) => path.includes(`/src/${room}/`)),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
    expect(sources.some(({ imports }) => imports.includes(file))).toBe(true);
  });

  test('never lead from product code to test code', () => {
    const leads = sources.filter(
      ({ path, imports }) => !isForTests(path) && imports.some((target) => isForTests(target)),
    );
    expect(leads.map(({ path }) => path)).toEqual([]);
  });
});

describe('a plan', () => {
  const source = (path: string, imports: string[], packages: string[] = []): Source => ({
    path,
    imports,
    packages,
    lines: 1,
    functions: [],
  });
  const rooms = { root: 'packages/engine/src', plan: { base: [], trie: ['base'] } };

  test('reports a forbidden import and lists the allowed places', () => {
    const upward = source('packages/engine/src/base/a.ts', ['packages/engine/src/trie/b.ts']);
    expect(forbidden(rooms, [upward])).toEqual([
      'packages/engine/src/base/a.ts imports trie (packages/engine/src/trie/b.ts), but packages/engine/src/base may use only nothing',
    ]);
    const down = source('packages/engine/src/trie/b.ts', ['packages/engine/src/base/a.ts']);
    expect(forbidden(rooms, [down])).toEqual([]);
  });

  test('reports a forbidden package', () => {
    const packages = { root: 'packages', plan: { protocol: [], cloud: ['protocol'] } };
    expect(forbidden(packages, [source('packages/cloud/src/a.ts', [], ['protocol'])])).toEqual([]);
    expect(forbidden(packages, [source('packages/cloud/src/a.ts', [], ['engine'])])).toHaveLength(1);
  });

  test('recognises packages that sources import by name', () => {
    const counts = sources.filter(({ packages }) => packages.includes('protocol')).length;
    expect(counts).toBeGreaterThan(100);
    expect(sources.some(({ packages }) => packages.includes('engine'))).toBe(true);
  });
});

/** Files that write into databases which they have just created. */
const FRESH = ['try-it/sample-database.ts', 'sign-in-aside/two-databases.ts'];

test('checks for conflicts in each write of documents in the console (decision 0215)', () => {
  const blind = sources.flatMap(({ path }) => {
    if (!path.startsWith('packages/console/src/') || isTest(path)) return [];
    const text = readFileSync(path, 'utf8');
    const isBlind =
      (/[dD]atabase\.bulk\(/.test(text) && !text.includes('keepConflicts: true')) ||
      (/\.transact\(/.test(text) && !/(?:open|known)Conflicts\(|\.conflicts\(/.test(text)) ||
      /[dD]atabase\.(?:restore|update|del|remove)\(/.test(text);
    return isBlind && !FRESH.some((one) => path.endsWith(one)) ? [path] : [];
  });
  expect(blind, 'Use keepConflicts or openConflicts, so that the write ends no unseen conflict').toEqual([]);
});
