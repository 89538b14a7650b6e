import type { CommitEvent, Database } from 'fixpoint';
import { useEffect, useState } from 'react';
import { titleOfDocument } from '../../../values/document-title.ts';
import { namedIds, type Titles } from './describe-commit.ts';

const NONE: Titles = new Map();
/** Commits never change, so each is read once for each database. */
const known = new WeakMap<Database, Map<string, Promise<Titles>>>();

/**
 * Returns the titles of the documents that the description of a commit names, as they were after
 * the commit; deleted ones as they were before. Empty until they are known, and for documents that
 * this device can't read.
 */
export function useTitles(database: Database, commit: CommitEvent, isWanted: boolean): Titles {
  const [titles, setTitles] = useState(NONE);
  useEffect(() => {
    let isOver = false;
    if (isWanted && commit.documents > 0 && commit.isDropped !== true && commit.isHorizon !== true)
      void readTitles(database, commit).then((found) => !isOver && setTitles(found));
    return () => {
      isOver = true;
    };
  }, [database, commit, isWanted]);
  return titles;
}

function readTitles(database: Database, commit: CommitEvent): Promise<Titles> {
  const ofDatabase = known.get(database) ?? new Map<string, Promise<Titles>>();
  known.set(database, ofDatabase);
  const before = ofDatabase.get(commit.event);
  if (before !== undefined) return before;
  const { written, deleted } = namedIds(commit);
  const found = Promise.all([
    titlesAt(database, [commit.event], written),
    titlesAt(database, commit.parents, deleted),
  ]).then(
    (both) => new Map(both.flatMap((titles) => [...titles])),
    () => {
      // Without titles, the description names ids. The details of the commit say why.
      ofDatabase.delete(commit.event);
      return NONE;
    },
  );
  ofDatabase.set(commit.event, found);
  return found;
}

/** @throws FixpointError */
async function titlesAt(database: Database, head: readonly string[], keys: readonly string[]) {
  const titles = new Map<string, string>();
  if (keys.length === 0 || head.length === 0) return titles;
  const { rows } = await database.at([...head]).allDocs({ keys });
  for (const { key, value } of rows) {
    const title = titleOfDocument(undefined, value);
    if (title !== UNTITLED) titles.set(key, title);
  }
  return titles;
}

const UNTITLED = titleOfDocument(undefined, {});
