/**
 * Tokens for programs: random text with a prefix by which leaks are found. The tables store their
 * hashes; 256 random bits need no slow hash.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto';

const PREFIX = 'fpt_';
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

export const newApiToken = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`;

/**
 * Returns a code that a person reads off one screen and types on another: 34 bits, valid for
 * minutes, with a few tries.
 */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

export const newDeviceCode = (): string => randomBytes(32).toString('base64url');

export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
