/** Tokens for programs: random text with a prefix by which leaks are found. The tables hold their hashes; 256 random bits need no slow one. */
import { createHash, randomBytes, randomInt } from 'node:crypto';

const PREFIX = 'fpt_';
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

export const newApiToken = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`;

/** What a person reads off one screen and types on another: 34 bits, good for minutes, tried a few times. */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

export const newDeviceCode = (): string => randomBytes(32).toString('base64url');

export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
