import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

export const LICENSES_FILE = 'third-party-licenses.txt';

/**
 * Matches the innermost package folder in a module id, which may end with a query such as `?url`.
 */
const PACKAGE = /^(?:\0[\w-]+:)?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/;
const NOTICE_FILE = /^(licen[cs]e|copying|notice)/i;
/** Bundled packages that no module id contains: styles, fonts, and code that the bundler adds. */
const ALWAYS = ['tailwindcss', '@fontsource-variable/geist', 'vite', 'rolldown'];

export interface PackageNotice {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Text of the package's license and notice files; empty if it has none. */
  readonly text: string;
}

/** Returns the package folder of a module; undefined for our own modules. */
export const packageFolderOf = (moduleId: string): string | undefined => PACKAGE.exec(moduleId)?.[1];

/** @throws an Error for a package without a license */
export function noticeOf(folder: string): PackageNotice {
  const described = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const { name, version, license } = described;
  const files = readdirSync(folder)
    .filter((file) => NOTICE_FILE.test(file))
    .sort();
  const text = files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n');
  if (typeof license !== 'string' && text === '')
    throw new Error(`${folder} is bundled, but names no license: find it, or drop the package`);
  return {
    name: String(name),
    version: String(version),
    license: typeof license === 'string' ? license : 'see below',
    text: text || `The package carries no license file; its package.json names ${String(license)}.`,
  };
}

/** Returns one text of all notices, sorted, so that equal sources give equal files. */
export function noticesText(notices: readonly PackageNotice[]): string {
  const sorted = [...notices].sort((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1));
  const parts = sorted.map(
    ({ name, version, license, text }) =>
      `${'='.repeat(80)}\n${name} ${version} (${license})\n${'='.repeat(80)}\n\n${text}\n`,
  );
  return `The Fixpoint console contains software of others, under these licenses.\n\n${parts.join('\n')}`;
}

export interface ThirdPartyLicenses {
  /** Emits the notices file, which includes the packages of the workers. */
  readonly page: () => Plugin;
  /** Collects the packages of the workers, which are bundled separately. */
  readonly worker: () => Plugin;
}

/**
 * Writes the licenses of all bundled packages into one file of the console. @param root folder from
 * which packages are resolved
 */
export function thirdPartyLicenses(root: string): ThirdPartyLicenses {
  const folders = new Set<string>();
  const note = (modules: Iterable<string>) => {
    for (const id of modules) {
      const folder = packageFolderOf(id);
      if (folder !== undefined) folders.add(folder);
    }
  };
  const noting: NonNullable<Plugin['generateBundle']> = (_options, bundle) => {
    for (const part of Object.values(bundle)) if (part.type === 'chunk') note(part.moduleIds);
  };
  return {
    worker: () => ({ name: 'third-party-licenses-of-workers', apply: 'build', generateBundle: noting }),
    page: () => ({
      name: 'third-party-licenses',
      apply: 'build',
      generateBundle(_options, bundle) {
        for (const part of Object.values(bundle)) if (part.type === 'chunk') note(part.moduleIds);
        for (const name of ALWAYS) folders.add(join(root, 'node_modules', name));
        const notices = new Map([...folders].map(noticeOf).map((one) => [`${one.name}@${one.version}`, one]));
        this.emitFile({
          type: 'asset',
          fileName: LICENSES_FILE,
          source: noticesText([...notices.values()]),
        });
      },
    }),
  };
}
