import { describe, expect, test } from 'vitest';
import { DOORS, PLANS, type Plan } from './house.ts';
import { isTest, type Source, sources } from './tree.ts';

/** The place of a path below `root`: its first folder. Files directly in `root` are in none. */
function placeIn(root: string, path: string): string | undefined {
  if (!path.startsWith(`${root}/`)) return undefined;
  const [place, ...rest] = path.slice(root.length + 1).split('/');
  return rest.length === 0 ? undefined : place;
}

/** Imports between the places of a plan that it doesn't allow, each with what to do. */
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

/** Places of sources that the plan doesn't name, so that no rule looks at them. */
function unplanned({ root, plan }: { root: string; plan: Plan }): string[] {
  const places = new Set(sources.flatMap(({ path }) => placeIn(root, path) ?? []));
  return [...places].filter((place) => plan[place] === undefined);
}

const isForTests = (path: string) => path.includes('/src/testing/') || isTest(path);

describe('imports', () => {
  test.each(PLANS)('follow the plan of $root', (level) => {
    const advice = 'Move the code to a lower place, hand it in, or change the plan in house.ts';
    expect(forbidden(level, sources), advice).toEqual([]);
  });

  test.each(PLANS)('come from places that the plan of $root names', (level) => {
    expect(unplanned(level), 'Add the folder and what it may use to house.ts').toEqual([]);
  });

  test.each(DOORS)('of $file come from $rooms alone', ({ file, rooms }) => {
    const others = sources.filter(
      ({ path, imports }) => imports.includes(file) && !rooms.some((room) => path.includes(`/src/${room}/`)),
    );
    expect(others.map(({ path }) => path)).toEqual([]);
    expect(sources.some(({ imports }) => imports.includes(file))).toBe(true);
  });

  test('never lead from what runs to what tests use', () => {
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

  test('reports an import that it does not allow, and says what the place may use', () => {
    const upward = source('packages/engine/src/base/a.ts', ['packages/engine/src/trie/b.ts']);
    expect(forbidden(rooms, [upward])).toEqual([
      'packages/engine/src/base/a.ts imports trie (packages/engine/src/trie/b.ts), but packages/engine/src/base may use only nothing',
    ]);
    const down = source('packages/engine/src/trie/b.ts', ['packages/engine/src/base/a.ts']);
    expect(forbidden(rooms, [down])).toEqual([]);
  });

  test('reports a package that may not be used', () => {
    const packages = { root: 'packages', plan: { protocol: [], cloud: ['protocol'] } };
    expect(forbidden(packages, [source('packages/cloud/src/a.ts', [], ['protocol'])])).toEqual([]);
    expect(forbidden(packages, [source('packages/cloud/src/a.ts', [], ['engine'])])).toHaveLength(1);
  });

  test('sees the packages that sources import by name', () => {
    const counts = sources.filter(({ packages }) => packages.includes('protocol')).length;
    expect(counts).toBeGreaterThan(100);
    expect(sources.some(({ packages }) => packages.includes('engine'))).toBe(true);
  });
});
