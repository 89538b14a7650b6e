/**
 * `npm run release`: checks that a version is complete, packs all packages, and publishes them to
 * npm. With `--dry-run`, publishes nothing, and also accepts a version that isn't released yet.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packAll } from './pack.mjs';
import { ensureBuilt, ensureInstalled, refuse, requireNode, root, run } from './ready.mjs';

const textOf = (path) => readFileSync(join(root, path), 'utf8');
const packages = () => readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`);

/**
 * Returns what a release of this repository lacks.
 * @param manifests the descriptions of all packages and, first, of the workspace
 */
export function problemsOf([workspace, ...manifests], { changelog, upgrading }, { isDryRun = false } = {}) {
  const { version } = workspace;
  const ours = new Set(manifests.map(({ name }) => name));
  const problems = [];
  for (const { name, version: own, dependencies = {}, peerDependencies = {} } of manifests) {
    if (own !== version) problems.push(`${name} has the version ${own}, not ${version}`);
    for (const [other, wanted] of Object.entries({ ...dependencies, ...peerDependencies }))
      if (ours.has(other) && wanted !== version) problems.push(`${name} depends on ${other} ${wanted}`);
  }
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')}(?!\\d)(.*)$`, 'm').exec(changelog);
  if (heading === null) problems.push(`CHANGELOG.md has no section ${version}`);
  else if (!isDryRun && !/^ \(\d{4}-\d{2}-\d{2}\)$/.test(heading[1] ?? ''))
    problems.push(`the section ${version} of CHANGELOG.md has no date`);
  if (!upgrading.includes(`\n### ${version}\n`)) problems.push(`UPGRADING.md has no section ${version}`);
  return problems;
}

/** Returns the names of packages, each after those that it depends on. */
export function publishingOrder(manifests) {
  const byName = new Map(manifests.map((manifest) => [manifest.name, manifest]));
  const ordered = new Set();
  const add = (name) => {
    const { dependencies = {}, peerDependencies = {} } = byName.get(name);
    for (const other of Object.keys({ ...dependencies, ...peerDependencies }))
      if (byName.has(other) && !ordered.has(other)) add(other);
    ordered.add(name);
  };
  for (const { name } of manifests) if (!ordered.has(name)) add(name);
  return [...ordered];
}

export const manifestsHere = () => ['package.json', ...packages()].map((path) => JSON.parse(textOf(path)));

/** Publishes packed packages. @throws the output of npm */
export function publish(archives, names, { isDryRun, hasProvenance }) {
  for (const name of names) {
    const more = [...(isDryRun ? ['--dry-run'] : []), ...(hasProvenance ? ['--provenance'] : [])];
    const { ok, output } = run('npm', ['publish', archives[name], '--access', 'public', ...more], {
      quiet: true,
    });
    if (!ok) throw new Error(`cannot publish ${name}:\n${output}`);
    process.stdout.write(`${isDryRun ? 'Would publish' : 'Published'} ${name}\n`);
  }
}

async function release(isDryRun) {
  const manifests = manifestsHere();
  const texts = { changelog: textOf('CHANGELOG.md'), upgrading: textOf('UPGRADING.md') };
  const problems = problemsOf(manifests, texts, { isDryRun });
  const { output: changes } = run('git', ['status', '--porcelain'], { quiet: true });
  if (!isDryRun && changes !== '') problems.push('there are changes that are not committed');
  if (problems.length > 0) refuse(problems.join('\n'));
  const [{ repository }, ...published] = manifests;
  // Provenance names the repository and the workflow that built a package.
  const hasProvenance = !isDryRun && repository !== undefined && process.env.GITHUB_ACTIONS === 'true';
  publish(packAll(), publishingOrder(published), { isDryRun, hasProvenance });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, ...others] = process.argv.slice(2);
  if (others.length > 0 || ![undefined, '--dry-run'].includes(option))
    refuse('Usage: npm run release -- [--dry-run]');
  requireNode();
  ensureInstalled();
  await ensureBuilt();
  await release(option === '--dry-run');
}
