/**
 * Constants and functions for cloud tokens and hand-offs. Pages use them without loading the
 * schemas.
 */

/** How long a cloud token is valid, in seconds, unless the request sets another number. */
export const CLOUD_TOKEN_SECONDS = 600;
/** Maximum life of a single cloud token, and of everything that a hand-off grants. */
export const CLOUD_TOKEN_SECONDS_MAX = 3600;

/** Returns whether the text is a `resultId` that current applications would generate. */
export const isLongResultId = (text: string): boolean => /^\S{22,128}$/.test(text);

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/**
 * Returns the short code of a hand-off, such as `KTBX-QMRD`. The console and the application both
 * show it, so that people recognise the application. It is derived from the secret `resultId`, so
 * people who know neither can't create a link with the same code.
 */
export function handOffCode(resultId: string): string {
  const letters: string[] = [];
  for (let at = 0; at < 8; at += 1) letters.push(LETTERS[hash(`${at} ${resultId}`) % LETTERS.length] ?? '');
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}

/**
 * Returns the FNV-1a hash of a text with a final mix, 32 bits. The hash distinguishes ids, but
 * isn't cryptographic.
 */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
