/** Facts about cloud tokens and hand-offs that pages need without the schemas. */

/** Seconds for which a cloud token is valid, unless its asker names another number. */
export const CLOUD_TOKEN_SECONDS = 600;
/** The longest life of a single cloud token, and of everything that a hand-off gives. */
export const CLOUD_TOKEN_SECONDS_MAX = 3600;

/** Whether the text is a `resultId` that an application of today would make. */
export const isLongResultId = (text: string): boolean => /^\S{22,128}$/.test(text);

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';

/**
 * Returns the short code of a hand-off, such as `KTBX-QMRD`. The console and the application both show
 * it, so that people can tell which application asked. It comes from the secret `resultId`: somebody
 * who doesn't know that id can't make a link that shows the same code.
 */
export function handOffCode(resultId: string): string {
  const letters: string[] = [];
  for (let at = 0; at < 8; at += 1) letters.push(LETTERS[hash(`${at} ${resultId}`) % LETTERS.length] ?? '');
  return `${letters.slice(0, 4).join('')}-${letters.slice(4).join('')}`;
}

/** FNV-1a with a final mix, 32 bits. It tells ids apart and protects nothing. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) state = Math.imul(state ^ byte, 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
