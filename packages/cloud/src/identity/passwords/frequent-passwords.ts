/** Detects passwords that are frequent in leaks. A file contains parts of their hashes. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const HEX_DIGITS = 10;

/** Works from the sources and from the build: `data` has the same relative path from both. */
const FILE = new URL('../../../data/frequent-passwords.txt', import.meta.url);
const hashParts: ReadonlySet<string> = new Set(
  readFileSync(FILE, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#')),
);

/** Returns whether the password is among the most frequent ones, which attackers try first. */
export const isFrequent = (password: string): boolean =>
  hashParts.has(createHash('sha256').update(password.toLowerCase()).digest('hex').slice(0, HEX_DIGITS));
