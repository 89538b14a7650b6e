/**
 * Switches between light and dark: sets a class of the page, and saves the choice (spec §2).
 * `public/theme.js` reads the saved choice before the first paint.
 */
import { useSyncExternalStore } from 'react';

const STORED_AS = 'darkMode';
const listeners = new Set<() => void>();

const isDark = () => document.documentElement.classList.contains('dark');

export function toggleTheme(): void {
  const dark = !isDark();
  document.documentElement.classList.toggle('dark', dark);
  try {
    localStorage.setItem(STORED_AS, String(dark));
  } catch {
    // Without storage, the theme lasts until the page is left.
  }
  for (const listener of listeners) listener();
}

/** Returns whether the page is dark now. */
export const useIsDark = (): boolean => useSyncExternalStore(subscribe, isDark);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
