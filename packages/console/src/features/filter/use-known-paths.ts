import type { BridgedDatabase } from 'fixpoint/bridge';
import type { FieldUses } from 'fixpoint/rows';
import { useEffect, useMemo, useState } from 'react';
import type { KnownPath } from './complete-filter.ts';
import { knownPaths, pathsIn } from './known-paths.ts';

const SAMPLE = 300;
const NONE: readonly KnownPath[] = [];

/**
 * Returns the fields for a filter, with nested ones.
 * @param isWanted whether the user edits a filter. Until then, no documents are read.
 */
export function useKnownPaths(
  database: BridgedDatabase,
  fields: readonly string[],
  uses: FieldUses,
  isWanted: boolean,
): readonly KnownPath[] {
  const [sample, setSample] = useState(NONE);
  useEffect(() => {
    if (!isWanted) return undefined;
    const ending = new AbortController();
    readSample(database, ending.signal).then(
      (docs) => !ending.signal.aborted && setSample(pathsIn(docs)),
      // Without a sample, the suggestions have only the names of fields.
      () => undefined,
    );
    return () => ending.abort();
  }, [database, isWanted]);
  return useMemo(() => knownPaths(fields, uses, sample), [fields, uses, sample]);
}

async function readSample(database: BridgedDatabase, signal: AbortSignal): Promise<readonly object[]> {
  for await (const docs of database.rows.scan({ batch: SAMPLE, signal })) return docs;
  return [];
}
