/**
 * Locks databases in this browser against accidental changes. A lock isn't an access right: any
 * user of this browser can unlock the database.
 */
import { useSyncExternalStore } from 'react';

const keyOf = (database: string): string => `fixpoint:locked:${database}`;
const listeners = new Set<() => void>();
/** Without storage, locks last while the page is open. */
const here = new Set<string>();

export function setLocked(database: string, isOn: boolean): void {
  try {
    if (isOn) localStorage.setItem(keyOf(database), 'yes');
    else localStorage.removeItem(keyOf(database));
  } catch {
    if (isOn) here.add(database);
    else here.delete(database);
  }
  for (const listener of listeners) listener();
}

/** Returns whether the database is locked, by this tab or another one. */
export const useIsLocked = (database: string): boolean =>
  useSyncExternalStore(subscribe, () => isLocked(database));

function isLocked(database: string): boolean {
  try {
    return here.has(database) || localStorage.getItem(keyOf(database)) !== null;
  } catch {
    return here.has(database);
  }
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
