import { useEffect, useState } from 'react';
import { listedName } from '../../local/database-names.ts';
import { openLocal } from '../../local/databases.ts';
import { useLocalDatabases } from '../../local/use-local-databases.ts';

/** Shows what a database of this browser would send. Renders nothing for an empty name. */
export function LocalFacts({ name }: { name: string }) {
  const listed = listedName(name.trim());
  const databases = useLocalDatabases();
  const exists = databases?.some((one) => one.name === listed);
  const count = useCount(exists === true ? listed : undefined);
  if (name.trim() === '' || exists === undefined) return null;
  return (
    <p role="status" className="text-sm text-ink-3">
      {exists ? documentsText(count) : 'A new, empty database.'}
    </p>
  );
}

/** A number of documents; undefined until they are counted. */
export type Counted = number | 'failed' | undefined;

export const documentsText = (count: Counted): string =>
  typeof count !== 'number'
    ? count === undefined
      ? 'Counting documents...'
      : 'Couldn’t count the documents.'
    : `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`;

/** Returns the number of documents of a database. */
function useCount(name: string | undefined): Counted {
  const [counted, setCounted] = useState<{ readonly name: string; readonly count: Counted }>();
  useEffect(() => {
    if (name === undefined) return undefined;
    const waiting = new AbortController();
    openLocal(name)
      .rows.count({ signal: waiting.signal })
      .then(
        (count) => waiting.signal.aborted || setCounted({ name, count }),
        () => waiting.signal.aborted || setCounted({ name, count: 'failed' }),
      );
    return () => waiting.abort();
  }, [name]);
  return counted?.name === name ? counted?.count : undefined;
}
