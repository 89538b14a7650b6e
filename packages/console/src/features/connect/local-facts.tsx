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

export const documentsText = (count: number | undefined): string =>
  count === undefined
    ? 'Counting documents...'
    : `${count.toLocaleString('en')} ${count === 1 ? 'document' : 'documents'}`;

/** Returns the number of documents of a database; undefined until it is counted. */
function useCount(name: string | undefined): number | undefined {
  const [counted, setCounted] = useState<{ readonly name: string; readonly count: number }>();
  useEffect(() => {
    if (name === undefined) return undefined;
    const waiting = new AbortController();
    openLocal(name)
      .rows.count({ signal: waiting.signal })
      .then(
        (count) => waiting.signal.aborted || setCounted({ name, count }),
        () => undefined,
      );
    return () => waiting.abort();
  }, [name]);
  return counted?.name === name ? counted?.count : undefined;
}
