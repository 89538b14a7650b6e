import type { CommitEvent, Database } from 'fixpoint';
import { useEffect, useState } from 'react';
import { type ChangedField, changedField } from './field-summary.ts';

/** Comparing larger commits would take too long for a line of a list. */
const DOCUMENTS_MAX = 100;

/** Commits never change, so each is compared once for each database. */
const known = new WeakMap<Database, Map<string, Promise<ChangedField | undefined>>>();

/**
 * Returns the first field that a commit changed. Undefined until it is known, and for commits that
 * are large, compacted or only created and deleted documents.
 */
export function useChangedField(database: Database, commit: CommitEvent): ChangedField | undefined {
  const [field, setField] = useState<ChangedField>();
  useEffect(() => {
    let isOver = false;
    void readField(database, commit).then((found) => !isOver && setField(found));
    return () => {
      isOver = true;
    };
  }, [database, commit]);
  return field;
}

function readField(database: Database, commit: CommitEvent): Promise<ChangedField | undefined> {
  const { event, parents, documents, deletions, isDropped, isHorizon } = commit;
  const isShort = documents > deletions && documents <= DOCUMENTS_MAX && parents.length > 0;
  if (!isShort || isDropped === true || isHorizon === true) return Promise.resolve(undefined);
  const fields = known.get(database) ?? new Map<string, Promise<ChangedField | undefined>>();
  known.set(database, fields);
  const before = fields.get(event);
  if (before !== undefined) return before;
  const found = database.diff([...parents], [event]).then(changedField, () => {
    // The details of the commit say why it can't be read.
    fields.delete(event);
    return undefined;
  });
  fields.set(event, found);
  return found;
}
