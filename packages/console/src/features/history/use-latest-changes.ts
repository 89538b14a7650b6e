import type { ChangeRow } from 'fixpoint';
import { useEffect, useRef, useState } from 'react';
import { latestChange, type VersionChange, type VersionsDatabase } from './latest-changes.ts';

/** The changes of documents, by {@link changeKey}. */
export type LatestChanges = ReadonlyMap<string, VersionChange>;

/** Ids of events contain no spaces. */
export const changeKey = ({ clock, key }: Pick<ChangeRow, 'clock' | 'key'>): string => `${clock} ${key}`;

/** Number of documents to read before they are shown. */
const STEP = 20;

/** Returns what the changes in these rows changed; reads those that aren't known yet. */
export function useLatestChanges(
  database: VersionsDatabase,
  rows: readonly Pick<ChangeRow, 'clock' | 'key'>[],
): LatestChanges {
  const all = useRef<Map<string, VersionChange>>(new Map());
  const [known, setKnown] = useState<LatestChanges>(all.current);
  useEffect(() => {
    const ending = new AbortController();
    const read = async () => {
      const missing = rows.filter((row) => !all.current.has(changeKey(row)));
      for (let at = 0; at < missing.length; at += STEP) {
        for (const row of missing.slice(at, at + STEP)) {
          const change = await latestChange(database, row, ending.signal).catch(() => UNREADABLE);
          if (ending.signal.aborted) return;
          all.current.set(changeKey(row), change ?? UNKNOWN);
        }
        setKnown(new Map(all.current));
      }
    };
    void read();
    return () => ending.abort();
  }, [database, rows]);
  return known;
}

const UNKNOWN: VersionChange = { what: '', field: undefined, fields: new Set(), isConcurrent: false };
/** The page of the document says why. */
const UNREADABLE: VersionChange = { ...UNKNOWN, what: 'Couldn’t read this change' };
