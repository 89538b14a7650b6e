import { useHead } from '@fixpoint/react';
import type { Database } from 'fixpoint';
import { useEffect } from 'react';

/** Open databases that were seen with content. An open database never becomes empty again. */
const filled = new WeakSet<Database>();

/**
 * Returns whether a database is known to have content. Returns false until the database is open, or
 * true at once if a component saw its content before.
 */
export function useHasContent(database: Database): boolean {
  const isFilled = useHead(database).length > 0;
  useEffect(() => {
    if (isFilled) filled.add(database);
  }, [database, isFilled]);
  return isFilled || filled.has(database);
}
