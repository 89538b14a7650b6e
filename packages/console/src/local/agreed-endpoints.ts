/**
 * Remembers which endpoint a user chose for a database. A link to the connect page may contain any
 * endpoint, and must not send the documents of this browser anywhere. Another user of this browser
 * may have other rights, and didn't agree. A sync therefore starts only after the signed-in user
 * agreed on a page of the console.
 */
import { listedName } from './database-names.ts';

/** Begin of the keys of notes about access to other servers (elsewhere-access.ts). */
export const ACCESS = 'fixpoint:access:';
/** Key of the note about a request to another server, in this tab (hand-over.ts). */
export const HAND_OVER = 'fixpoint:hand-over';
const keyOf = (localName: string): string => `fixpoint:connect:${listedName(localName)}`;
const noteOf = (endpoint: string, email: string): string => JSON.stringify({ endpoint, email });
/** Agreements that couldn't be stored. They last until the page is closed. */
const here = new Map<string, string>();

/** @param email the address of the signed-in user */
export function agreeTo(localName: string, endpoint: string, email: string): void {
  const note = noteOf(endpoint, email);
  try {
    localStorage.setItem(keyOf(localName), note);
    here.delete(keyOf(localName));
  } catch {
    here.set(keyOf(localName), note);
  }
}

/** @param email the address of the signed-in user */
export function isAgreed(localName: string, endpoint: string, email: string): boolean {
  return stored(keyOf(localName)) === noteOf(endpoint, email);
}

/** An agreement that couldn't be stored is newer than the stored one. */
function stored(key: string): string | undefined {
  try {
    return here.get(key) ?? localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Forgets the agreement, and access to another server: the database is disconnected or deleted. */
export function forgetAgreed(localName: string): void {
  here.delete(keyOf(localName));
  try {
    localStorage.removeItem(keyOf(localName));
    localStorage.removeItem(ACCESS + listedName(localName));
    sessionStorage.removeItem(HAND_OVER);
  } catch {
    // Nothing was stored.
  }
}
