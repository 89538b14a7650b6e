import type { CommitEvent, Database } from 'fixpoint';
import { useCallback, useMemo } from 'react';
import { shownId } from '../../../values/shown-id.ts';
import { authorsOf, type People, type Who } from '../../../values/who-wrote.ts';
import { type HistoryFilter, isHistoryFiltered, isStampWanted } from '../filters/history-filter.ts';
import { useLoaded } from '../use-loaded.ts';
import { useCommitFields } from './use-changed-field.ts';

export interface ShownCommits {
  readonly commits: readonly CommitEvent[];
  /** All authors of the loaded commits, sorted by name. */
  readonly authors: readonly Who[];
  /** How many commits the filter can't judge yet, because their fields aren't known. */
  readonly pending: number;
  /** How many commits are too large to search for a field. */
  readonly unread: number;
}

interface Options {
  readonly database: Database;
  readonly all: readonly CommitEvent[];
  readonly filter: HistoryFilter;
  /** The id of this device. */
  readonly own: string | undefined;
  readonly people: People;
}

/** Returns the commits that match the filter. */
export function useShownCommits({ database, all, filter, own, people }: Options): ShownCommits {
  const { document, field } = filter;
  const authors = useMemo(() => authorsOf(all, own, people), [all, own, people]);
  const versions = useVersions(database, document);
  const judged = useMemo(
    () =>
      isHistoryFiltered(filter)
        ? all.filter(
            (commit) => isStampWanted(filter, commit, own, people) && hasDocument(commit, document, versions),
          )
        : all,
    [all, filter, own, people, document, versions],
  );
  const { fields, pending, unread } = useCommitFields(database, field === '' ? NONE : judged);
  const commits = useMemo(
    () => (field === '' ? judged : judged.filter(({ event }) => fields.get(event)?.has(field) === true)),
    [judged, field, fields],
  );
  return { commits, authors, pending, unread };
}

const NONE: readonly CommitEvent[] = [];
const VERSIONS_MAX = 1000;

/** Returns the events that wrote a document, whose whole id is given. */
function useVersions(database: Database, id: string): ReadonlySet<string> | undefined {
  const { value } = useLoaded(
    database,
    useCallback(
      async (signal) => {
        const versions = id === '' ? [] : await database.history(id, { limit: VERSIONS_MAX, signal });
        return new Set(versions.map(({ event }) => event));
      },
      [database, id],
    ),
  );
  return value;
}

/** A commit lists only some of its documents, but all events that wrote a document are known. */
const hasDocument = (
  { ids, event }: CommitEvent,
  document: string,
  versions: ReadonlySet<string> | undefined,
): boolean =>
  document === '' || versions?.has(event) === true || ids.some((id) => shownId(id).includes(document));
