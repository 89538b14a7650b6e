import { createContext, useContext } from 'react';

/** Whether the user may write to the database of the page, and if not, why: by their right, or because it is locked in this browser. */
export type Writing = 'allowed' | 'no right' | 'locked';

export const WritingContext = createContext<Writing>('allowed');

/** What would be refused, or nobody else would ever get, is not offered. */
export const useCanWrite = (): boolean => useContext(WritingContext) === 'allowed';

const WITHOUT_RIGHT = {
  database: 'You may read this database, but not write to it.',
  document: 'You may read this document, but not change it.',
};

/** What the page says to who may not write. */
export function useReadOnlyText(what: keyof typeof WITHOUT_RIGHT): string {
  return useContext(WritingContext) === 'locked'
    ? 'This database is locked in this browser. Unlock it above to write to it.'
    : WITHOUT_RIGHT[what];
}
