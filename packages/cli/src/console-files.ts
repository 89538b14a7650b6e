/** The files of the console that this version contains. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Returns the folder of the built console. */
export const consoleFolder = (): string =>
  join(dirname(createRequire(import.meta.url).resolve('@fixpoint/console/package.json')), 'dist');

export const sha256Of = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Returns the hash of each file below a folder, by its path with a leading slash. */
export function hashesBelow(folder: string): ReadonlyMap<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => join(one.parentPath, one.name).slice(folder.length).replaceAll('\\', '/'));
  return new Map(paths.sort().map((path) => [path, sha256Of(readFileSync(join(folder, path)))]));
}

/** Returns one hash of many: that of a line for each, as `sha256sum` prints them. */
export const hashOfAll = (hashes: ReadonlyMap<string, string>): string =>
  sha256Of([...hashes].map(([path, hash]) => `${hash}  .${path}\n`).join(''));

/**
 * Returns a page as the build wrote it. A server adds two attributes to it, and its base path to
 * the addresses of its files.
 */
export function pageAsBuilt(html: string, basePath: string): string {
  const plain = html.replace(
    /^(<!doctype html>\s*<html )(data-base="[^"]*" )?(data-sign-in="[a-z]*" )?/i,
    '$1',
  );
  return basePath === '' ? plain : plain.replaceAll(`="${basePath}/`, '="/');
}
