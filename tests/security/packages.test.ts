import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Entry>;
};

/**
 * Packages that run on the machines of operators and in applications. The console isn't listed,
 * because its packages are compiled into its bundle.
 */
const RUNNING = ['packages/protocol', 'packages/engine', 'packages/cloud', 'packages/cli'];
/** Packages that may run an install script, each with the reason. */
const SCRIPTS_ACCEPTED: Readonly<Record<string, string>> = {};
const LICENCES = ['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'MIT-0', 'Unlicense'];

/** Finds an installed package as Node does: from the folder of the importing package upwards. */
function find(from: string, name: string): string | undefined {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const at = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (packages[at] !== undefined) return at;
    if (place === '') return undefined;
  }
}

function needed({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }: Entry) {
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/** Returns every third-party package that runs in production, by its path in the lock file. */
function running(): Map<string, Entry> {
  const seen = new Map<string, Entry>();
  const visit = (at: string): void => {
    const entry = packages[at];
    if (entry === undefined || seen.has(at)) return;
    seen.set(at, entry);
    const next = entry.link ? [entry.resolved] : needed(entry).map((name) => find(at, name));
    for (const place of next) visit(place ?? '');
  };
  for (const at of RUNNING) visit(at);
  return new Map([...seen].filter(([at, entry]) => at.includes('node_modules/') && !entry.link));
}

describe('[S17] packages', () => {
  const all = running();

  test('uses at most 25 direct packages and 150 packages in total', () => {
    const direct = new Set(RUNNING.flatMap((at) => Object.keys(packages[at]?.dependencies ?? {})));
    const ours = new Set(['fixpoint', ...[...direct].filter((name) => name.startsWith('@fixpoint/'))]);
    // These two expectations fail if the search finds nothing.
    expect(all.has('node_modules/kysely')).toBe(true);
    expect(all.has('node_modules/pg-types')).toBe(true);
    expect([...direct].filter((name) => !ours.has(name)).length).toBeLessThanOrEqual(25);
    expect(all.size).toBeGreaterThan(50);
    expect(all.size).toBeLessThanOrEqual(150);
  });

  test('pins each package to one version, with its hash, from the public registry', () => {
    for (const [at, { dependencies }] of Object.entries(packages).filter(([at]) =>
      /^packages\/[^/]+$/.test(at),
    ))
      for (const [name, version] of Object.entries(dependencies ?? {}))
        expect(version, `${at}: ${name}`).toMatch(/^\d+\.\d+\.\d+$/);
    for (const [at, { resolved, integrity }] of all) {
      // The lock file has no `resolved` for some packages, which are from the registry.
      expect(resolved ?? 'https://registry.npmjs.org/', at).toMatch(/^https:\/\/registry\.npmjs\.org\//);
      expect(integrity, at).toMatch(/^sha512-/);
    }
  });

  test('runs no install script, except those listed with a reason', () => {
    const withScripts = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript === true)
      .map(([at]) => at);
    expect(withScripts.filter((at) => !Object.hasOwn(SCRIPTS_ACCEPTED, at))).toEqual([]);
    // The list must not contain packages that no longer have a script.
    expect(Object.keys(SCRIPTS_ACCEPTED).filter((at) => !withScripts.includes(at))).toEqual([]);
  });

  test('allows only packages whose licence permits redistribution', () => {
    const other = [...all].filter(([, { license }]) => !LICENCES.includes(license ?? ''));
    expect(other.map(([at, { license }]) => `${at}: ${license}`)).toEqual([]);
  });
});
