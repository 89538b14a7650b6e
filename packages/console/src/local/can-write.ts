import { createContext, useContext } from 'react';

/**
 * Says whether the user may write to the page's database. If not, says whether the user has no
 * right to, or the database is locked in this browser.
 */
export type Writing = 'allowed' | 'no right' | 'locked';

export const WritingContext = createContext<Writing>('allowed');

/**
 * Returns whether the page offers writes. Pages offer no write that the server would reject or that
 * would never sync.
 */
export const useCanWrite = (): boolean => useContext(WritingContext) === 'allowed';

const WITHOUT_RIGHT = {
  database: 'You can read this database, but not write to it.',
  document: 'You can read this document, but not change it.',
};

/** Returns the page's text for users who can't write. */
export function useReadOnlyText(what: keyof typeof WITHOUT_RIGHT): string {
  return useContext(WritingContext) === 'locked'
    ? 'This database is locked in this browser. Unlock it above to write to it.'
    : WITHOUT_RIGHT[what];
}
