/**
 * Finds the third-party packages that the server needs, in the lock file. Their installed files are
 * those that npm checked against the lock file, so a bundle needs no network and contains no other
 * versions.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../ready.mjs';

/** Finds a package as Node does: from the folder of the importing package upwards. */
function find(packages, from, name) {
  for (let place = from; ; place = place.slice(0, Math.max(place.lastIndexOf('/node_modules/'), 0))) {
    const at = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
    if (packages[at] !== undefined) return at;
    if (place === '') return undefined;
  }
}

function neededBy({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const peers = Object.keys(peerDependencies ?? {}).filter(
    (name) => peerDependenciesMeta?.[name]?.optional !== true,
  );
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/**
 * Returns what a workspace needs in production.
 * @param start path of the workspace in the lock file, such as `packages/cli`
 * @returns paths of third-party packages in the repository, and workspace folders by package name
 */
export function productionPackages(start) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const seen = new Set();
  const workspaces = {};
  const visit = (at, name) => {
    const entry = packages[at];
    if (entry === undefined || seen.has(at)) return;
    seen.add(at);
    if (entry.link) return visit(entry.resolved, name);
    if (!at.includes('node_modules/')) workspaces[entry.name ?? name] = at;
    for (const needed of neededBy(entry)) visit(find(packages, at, needed), needed);
  };
  visit(start);
  const thirdParty = [...seen].filter((at) => at.includes('node_modules/') && !packages[at].link);
  // Optional packages for other platforms aren't installed.
  const isNeeded = (at) => existsSync(join(root, at)) || packages[at].optional !== true;
  return { thirdParty: thirdParty.filter(isNeeded).sort(), workspaces };
}
