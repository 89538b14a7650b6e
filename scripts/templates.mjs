/** The templates of `npm create fixpoint`: the examples, as applications of their own. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './ready.mjs';

/** Files of this machine that may be in the folder of an example. */
const LEFT_OUT = /^(node_modules|dist|\.vite|\.next|next-env\.d\.ts|.*\.tsbuildinfo|\.env|\.env\..*local)$/;
const IGNORED = [
  'node_modules',
  'dist',
  '.next',
  'next-env.d.ts',
  '*.tsbuildinfo',
  '.env',
  '*.local',
  '',
].join('\n');

const manifestIn = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Returns the versions of our packages by their names. */
const released = () =>
  new Map(
    readdirSync(join(root, 'packages')).map((name) => {
      const { name: published, version } = manifestIn(join(root, 'packages', name));
      return [published, version];
    }),
  );

/** Returns dependencies with the released versions of our packages. */
const withVersions = (dependencies, versions) =>
  Object.fromEntries(
    Object.entries(dependencies).map(([name, version]) => [name, versions.get(name) ?? version]),
  );

/** Writes a folder for each template. npm would leave out `.gitignore`, so it gets another name. */
export function writeTemplates(to, from = join(root, 'examples')) {
  const versions = released();
  for (const example of readdirSync(from).sort()) {
    const folder = join(from, example);
    const { description, type, scripts, dependencies, devDependencies } = manifestIn(folder);
    cpSync(folder, join(to, example), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(basename(path)),
    });
    const manifest = {
      name: example,
      version: '0.0.0',
      private: true,
      type,
      description,
      scripts,
      dependencies: withVersions(dependencies, versions),
      devDependencies: withVersions(devDependencies, versions),
    };
    writeFileSync(join(to, example, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    writeFileSync(join(to, example, '_gitignore'), IGNORED);
  }
}
