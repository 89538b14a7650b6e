import type { CommitEvent, Database, DocumentChange } from 'fixpoint';
import { useEffect, useState } from 'react';
import { type ChangedField, changedField, changedNames } from './field-summary.ts';

/** Comparing larger commits would take too long for a line of a list. */
const DOCUMENTS_MAX = 100;
/** Maximum size of the commits that are searched for a field. */
const SEARCHED_MAX = 2000;
/** Number of commits to read before they are shown. */
const STEP = 10;

interface CommitFields {
  readonly first: ChangedField | undefined;
  /** The fields that the commit added, changed or removed. */
  readonly names: ReadonlySet<string>;
}

/** Commits never change, so each is compared once for each database. */
const known = new WeakMap<Database, Map<string, Promise<CommitFields | undefined>>>();

/**
 * Returns the first field that a commit changed. Undefined until it is known, and for commits that
 * are large, compacted or only created and deleted documents.
 */
export function useChangedField(database: Database, commit: CommitEvent): ChangedField | undefined {
  const [field, setField] = useState<ChangedField>();
  useEffect(() => {
    let isOver = false;
    if (commit.documents > commit.deletions && isReadable(commit, DOCUMENTS_MAX))
      void readFields(database, commit).then((found) => !isOver && setField(found?.first));
    return () => {
      isOver = true;
    };
  }, [database, commit]);
  return field;
}

/**
 * Returns the changed fields of commits by event, read one after the other, and how many commits
 * are still to be read, or too large to be read.
 */
export function useCommitFields(database: Database, commits: readonly CommitEvent[]) {
  const [fields, setFields] = useState<ReadonlyMap<string, ReadonlySet<string>>>(new Map());
  useEffect(() => {
    let isOver = false;
    const read = async () => {
      const found = new Map<string, ReadonlySet<string>>();
      for (const [at, commit] of commits.entries()) {
        if (isReadable(commit, SEARCHED_MAX))
          found.set(commit.event, (await readFields(database, commit))?.names ?? new Set());
        if (isOver) return;
        if (at % STEP === STEP - 1) setFields(new Map(found));
      }
      setFields(found);
    };
    void read();
    return () => {
      isOver = true;
    };
  }, [database, commits]);
  const readable = commits.filter((commit) => isReadable(commit, SEARCHED_MAX));
  const pending = readable.filter(({ event }) => !fields.has(event)).length;
  const unread = commits.filter(({ documents }) => documents > SEARCHED_MAX).length;
  return { fields, pending, unread };
}

function isReadable(
  { documents, parents, isDropped, isHorizon }: CommitEvent,
  documentsMax: number,
): boolean {
  return documents > 0 && documents <= documentsMax && parents.length > 0 && !isDropped && !isHorizon;
}

function readFields(database: Database, { event, parents }: CommitEvent): Promise<CommitFields | undefined> {
  const fields = known.get(database) ?? new Map<string, Promise<CommitFields | undefined>>();
  known.set(database, fields);
  const before = fields.get(event);
  if (before !== undefined) return before;
  const found = database.diff([...parents], [event]).then(fieldsOf, () => {
    // The details of the commit say why it can't be read.
    fields.delete(event);
    return undefined;
  });
  fields.set(event, found);
  return found;
}

const fieldsOf = (changes: readonly DocumentChange[]): CommitFields => ({
  first: changedField(changes),
  names: changedNames(changes),
});
