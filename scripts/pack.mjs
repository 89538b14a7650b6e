/**
 * `npm run pack`: packs all packages for a release into `artefacts/packages`, as `npm publish`
 * expects them. A packed package contains only files that its users need: no source maps without
 * sources, no records of the compiler, and no exports that point to sources.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt, ensureInstalled, requireNode, root, run } from './ready.mjs';
import { writeTemplates } from './templates.mjs';

const PACKED = 'artefacts/packages';
/** The condition under which tools of this repository load sources. */
const SOURCE = 'fixpoint-source';
const LEFT_OUT = [/\.map$/, /\.tsbuildinfo/, /^dist\/server\//];
const MAP_LINK = /\n\/\/# sourceMappingURL=\S+\s*$/;

/** Removes the source condition from a field `exports`. */
const withoutSources = (target) =>
  typeof target === 'string'
    ? target
    : Object.fromEntries(
        Object.entries(target)
          .filter(([condition]) => condition !== SOURCE)
          .map(([condition, value]) => [condition, withoutSources(value)]),
      );

/** Returns the description of a package as its users see it. */
function manifestOf(manifest, folder, workspace) {
  const { exports, devDependencies, scripts, files, ...rest } = manifest;
  const { repository } = workspace;
  return {
    ...rest,
    ...(repository && { repository: { ...repository, directory: `packages/${folder}` } }),
    ...(exports && { exports: withoutSources(exports) }),
  };
}

function copyFiles(from, to, files) {
  for (const entry of ['README.md', ...files])
    cpSync(join(from, entry), join(to, entry), {
      recursive: true,
      filter: (path) => !LEFT_OUT.some((pattern) => pattern.test(relative(from, path).replaceAll('\\', '/'))),
    });
  cpSync(join(root, 'LICENSE'), join(to, 'LICENSE'));
  for (const path of readdirSync(to, { recursive: true }))
    if (/\.(js|mjs|ts|css)$/.test(path)) {
      const text = readFileSync(join(to, path), 'utf8');
      if (MAP_LINK.test(text)) writeFileSync(join(to, path), text.replace(MAP_LINK, '\n'));
    }
}

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * Writes the files of a package, as its users install them.
 * @param name folder of the package below `packages`
 * @returns the description of the package in the repository
 */
export function unpackPackage(name, to) {
  const from = join(root, 'packages', name);
  const manifest = readJson(join(from, 'package.json'));
  const described = manifestOf(manifest, name, readJson(join(root, 'package.json')));
  mkdirSync(to, { recursive: true });
  copyFiles(
    from,
    to,
    manifest.files.filter((entry) => !entry.startsWith('!')),
  );
  if (manifest.name === 'create-fixpoint') writeTemplates(join(to, 'templates'));
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(described, null, 2)}\n`);
  return manifest;
}

/**
 * Packs all packages. Call it after the build.
 * @returns the paths of the archives by the names of the packages
 */
export function packAll(folder = join(root, PACKED)) {
  rmSync(folder, { recursive: true, force: true });
  const archives = {};
  for (const name of readdirSync(join(root, 'packages')).sort()) {
    const to = join(folder, 'unpacked', name);
    const manifest = unpackPackage(name, to);
    const packed = run('npm', ['pack', to, '--json', '--pack-destination', folder], { quiet: true });
    if (!packed.ok) throw new Error(`cannot pack ${name}:\n${packed.output}`);
    archives[manifest.name] = join(
      folder,
      `${manifest.name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`,
    );
  }
  return archives;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  requireNode();
  ensureInstalled();
  await ensureBuilt();
  for (const path of Object.values(packAll())) process.stdout.write(`${relative(root, path)}\n`);
}
