/**
 * Creates tokens for programs: random text with a prefix that scanners for leaked secrets
 * recognise. The tables store hashes. 256 random bits don't need a slow hash.
 */
import { createHash, randomBytes, randomInt } from 'node:crypto';

const PREFIX = 'fpt_';
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

export const newApiToken = (): string => `${PREFIX}${randomBytes(32).toString('base64url')}`;

/**
 * Returns a code that a person reads on one screen and types on another. It has 34 bits, is valid
 * for minutes, and allows few tries.
 */
export const newUserCode = (): string =>
  Array.from({ length: 8 }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');

export const newDeviceCode = (): string => randomBytes(32).toString('base64url');

/** Returns the secret of a link in the mail of an invite. */
export const newInviteSecret = (): string => randomBytes(32).toString('base64url');

export const hashOfSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');
