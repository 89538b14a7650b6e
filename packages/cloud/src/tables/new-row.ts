import { randomBytes } from 'node:crypto';

/** Returns a random id of almost 96 bits, safe in URLs and paths. */
export const newId = (): string => `z${randomBytes(12).toString('base64url').replace(/[-_]/g, 'x')}`;

export const timestamp = (now: number): string => new Date(now).toISOString();
