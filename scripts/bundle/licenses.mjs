/** Collects the licences of the packages in a bundle. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const NOTICE_FILE = /^(licen[cs]e|copying|notice)/i;
const LINE = '='.repeat(80);

/**
 * Returns name, version and licence texts of the package in a folder.
 * @throws Error if the package doesn't state its licence
 */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const texts = readdirSync(folder)
    .filter((file) => NOTICE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').trim());
  if (typeof license !== 'string' && texts.length === 0)
    throw new Error(`${folder} states no licence: find it, or drop the package`);
  const text = texts.join('\n\n') || `The package contains no licence file. package.json names ${license}.`;
  return { title: `${name} ${version} (${license ?? 'see below'})`, text };
}

/** Returns one text with the licences of the packages in these folders. */
export function licensesText(folders, more = []) {
  const parts = [...folders.map(noticeOf), ...more].sort((a, b) => (a.title < b.title ? -1 : 1));
  const intro = 'The Fixpoint server contains software of others, under these licences.\n';
  return [intro, ...parts.map(({ title, text }) => `${LINE}\n${title}\n${LINE}\n\n${text}\n`)].join('\n');
}

/**
 * Returns the licence of a Node program: beside it, or where Debian's package stores it.
 * @throws Error if there is none, because Node must not be distributed without its licence
 */
export function nodeLicense(node) {
  const places = [join(dirname(dirname(node)), 'LICENSE'), '/usr/share/doc/nodejs/LICENSE'];
  const path = places.find((place) => existsSync(place));
  if (path === undefined) throw new Error(`No licence of Node at ${places.join(' or ')}.`);
  return readFileSync(path, 'utf8').trim();
}
