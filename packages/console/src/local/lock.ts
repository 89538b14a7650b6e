/** Databases that somebody locked in this browser, so as to change nothing there by mistake. It is no right: whoever locked one unlocks it. */
import { useSyncExternalStore } from 'react';

const keyOf = (database: string): string => `fixpoint:locked:${database}`;
const listeners = new Set<() => void>();
/** Those that a browser which stores nothing keeps as long as the page is open. */
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

/** Whether it is locked, in whichever tab that was done. */
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
