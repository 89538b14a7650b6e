/**
 * Remembers which endpoint the user chose for a database. A link to the connect page may contain
 * any endpoint, and must not send the documents of this browser anywhere. A first sync therefore
 * starts only after the user agreed on a page of the console.
 */
import { listedName } from './database-names.ts';

const keyOf = (localName: string): string => `fixpoint:connect:${listedName(localName)}`;
/** Without storage, agreements last until the page is closed. */
const here = new Map<string, string>();

export function agreeTo(localName: string, endpoint: string): void {
  here.set(keyOf(localName), endpoint);
  try {
    localStorage.setItem(keyOf(localName), endpoint);
  } catch {
    // The map above already has it.
  }
}

export function isAgreed(localName: string, endpoint: string): boolean {
  try {
    const stored = localStorage.getItem(keyOf(localName));
    if (stored !== null) return stored === endpoint;
  } catch {
    // The map below may have it.
  }
  return here.get(keyOf(localName)) === endpoint;
}

/** Forgets the agreement, because the database is disconnected or deleted. */
export function forgetAgreed(localName: string): void {
  here.delete(keyOf(localName));
  try {
    localStorage.removeItem(keyOf(localName));
  } catch {
    // Nothing was stored.
  }
}
