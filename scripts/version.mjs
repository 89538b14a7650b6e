/**
 * `npm run version`: gives all packages the version that the changesets in `.changeset` ask for,
 * and moves the texts of the changesets to CHANGELOG.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import read from '@changesets/read';
import { bin, refuse, requireNode, root, run } from './ready.mjs';
import { manifestsHere } from './release.mjs';

/** Files outside of the packages that name the version. */
const PLACES = [
  'package.json',
  'bench/package.json',
  'tests/interop/package.json',
  'tests/react-18/package.json',
  'examples/next-bookmarks/package.json',
  'packages/cloud/src/start-http.ts',
  'docs/guide/install.md',
];

/**
 * Returns the changelog with a section for a new version, above those of earlier versions.
 * @param changesets each with a text, and the packages that it affects
 */
export function changelogWith(changelog, version, changesets) {
  const lines = new Map();
  for (const { summary, releases } of changesets) {
    const names = releases.map(({ name }) => name).join(', ');
    const text = `- ${summary.trim().replaceAll('\n', '\n  ')}`;
    lines.set(names, [...(lines.get(names) ?? []), text]);
  }
  const parts = [...lines].sort().map(([names, texts]) => `### ${names}\n\n${texts.join('\n')}\n`);
  const section = `## ${version} (unreleased)\n\n${parts.join('\n')}\n`;
  const at = changelog.indexOf('\n## ') + 1;
  if (at === 0) return `${changelog.trimEnd()}\n\n${section}`;
  return `${changelog.slice(0, at)}${section}${changelog.slice(at)}`;
}

/**
 * Returns the text of a file with the new version of this product. Other versions stay: in a
 * manifest those of other packages, and elsewhere those that only contain the old version.
 * @param names of our packages
 */
export function withVersion(path, text, before, version, names) {
  const old = before.replaceAll('.', '\\.');
  const pattern = path.endsWith('.json')
    ? new RegExp(`(?<="(?:version|${names.join('|')})": "[~^]?)${old}(?=")`, 'g')
    : new RegExp(`(?<!\\d\\.?)${old}(?!\\.?\\d)`, 'g');
  return text.replaceAll(pattern, version);
}

const versionHere = (path) => JSON.parse(readFileSync(join(root, path), 'utf8')).version;

async function giveVersion() {
  const changesets = await read(root);
  if (changesets.length === 0) refuse('There are no changesets. Write one with npm run changeset.');
  const before = versionHere('package.json');
  const { ok, output } = run(bin('changeset'), ['version'], { quiet: true });
  if (!ok) refuse(output);
  const version = versionHere('packages/engine/package.json');
  const names = manifestsHere().map(({ name }) => name);
  for (const place of PLACES) {
    const path = join(root, place);
    writeFileSync(path, withVersion(path, readFileSync(path, 'utf8'), before, version, names));
  }
  const path = join(root, 'CHANGELOG.md');
  writeFileSync(path, changelogWith(readFileSync(path, 'utf8'), version, changesets));
  process.stdout.write(
    `All packages have the version ${version}. Run npm install, then edit CHANGELOG.md and UPGRADING.md.\n`,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireNode();
  await giveVersion();
}
