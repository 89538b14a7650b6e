import type { Database, DocumentVersion } from 'fixpoint';
import { useCallback, useMemo } from 'react';
import { agoOf } from '../../../ui/text/moment.ts';
import { NOBODY, type People, whenWritten, whoWrote } from '../../../values/who-wrote.ts';
import { changedNames } from '../commits/field-summary.ts';
import { beforeOf, currentOf, type VersionsDatabase } from '../latest-changes.ts';
import { useOwnDevice } from '../stamp-text.tsx';
import { useLoaded } from '../use-loaded.ts';
import { type Blame, type Blamed, type BlameStep, blameOf, linearSteps } from './blame.ts';

/** The author of a field's value, and when they wrote it. */
export interface FieldAuthor {
  /** The name of a person, for the picture; undefined for others. */
  readonly person: string | undefined;
  /** Such as "Ada". */
  readonly name: string;
  /** Such as "2 minutes ago"; undefined if it isn't known. */
  readonly ago: string | undefined;
  /** The change that gave the field its value; undefined if it isn't saved, or isn't known. */
  readonly event?: string | undefined;
  /** Whether the user changed the field and hasn't saved it yet. */
  readonly isUnsaved?: boolean;
  /** When that was, in ms since 1970. */
  readonly atMs?: number | undefined;
}

export type FieldAuthors = ReadonlyMap<string, FieldAuthor>;

const PAGE = 50;
/** Fields that are older are shown without an author. */
const VERSIONS_MAX = 500;
const UNSAVED: FieldAuthor = { person: undefined, name: 'You', ago: 'not saved yet', isUnsaved: true };

export interface FieldAuthorsOptions {
  readonly database: Database;
  /** Undefined for a new document. */
  readonly id: string | undefined;
  /** The stored fields, and those of the draft, if its text is valid. */
  readonly stored: object | undefined;
  readonly edited: object | undefined;
  readonly people?: People | undefined;
  /** Whether authors are shown. Otherwise, no versions are read. */
  readonly isOn: boolean;
}

/** Returns the author of each top-level field, live; undefined until they are known. */
export function useFieldAuthors(options: FieldAuthorsOptions): FieldAuthors | undefined {
  const { database, id, stored, edited, people = NOBODY, isOn } = options;
  const own = useOwnDevice(database);
  const { value } = useLoaded(
    database,
    useCallback(
      async (signal) => (id === undefined || !isOn ? undefined : readBlame(database, id, signal)),
      [database, id, isOn],
    ),
  );
  return useMemo(() => {
    if (value === undefined) return undefined;
    const authors = new Map<string, FieldAuthor>();
    for (const [name, blame] of value.fields) authors.set(name, authorOf(blame, own, people));
    if (stored !== undefined && edited !== undefined)
      for (const name of changedNames([{ id: '', before: stored, after: edited } as never]))
        authors.set(name, UNSAVED);
    return authors;
  }, [value, own, people, stored, edited]);
}

/** Returns the version that set each field of a document. @throws the reason of the signal */
export async function readBlame(
  database: VersionsDatabase,
  id: string,
  signal: AbortSignal,
): Promise<Blamed> {
  for (let limit = PAGE; ; limit *= 2) {
    const versions = await database.history(id, { limit, signal });
    const isAll = versions.length < limit;
    const blamed = versions.some(({ concurrent }) => concurrent)
      ? blameOf(await currentOf(database, id), await stepsOf(database, id, versions, isAll, signal))
      : blameOf(versions[0]?.value, linearSteps(versions, isAll));
    if (blamed.isComplete || isAll || limit >= VERSIONS_MAX) return blamed;
  }
}

/** Reads the document that each version was based on, which needn't be the one listed after it. */
async function stepsOf(
  database: Pick<Database, 'at'>,
  id: string,
  versions: readonly DocumentVersion[],
  isAll: boolean,
  signal: AbortSignal,
): Promise<readonly BlameStep[]> {
  const steps: BlameStep[] = [];
  for (const [at, version] of versions.entries()) {
    signal.throwIfAborted();
    const isFirst = isAll && at === versions.length - 1;
    steps.push({ version, before: await beforeOf(database, id, version, isFirst) });
  }
  return steps;
}

function authorOf({ version, isExact }: Blame, own: string | undefined, people: People): FieldAuthor {
  const ms = whenWritten(version);
  const ago = ms === undefined ? undefined : agoOf(ms, Date.now());
  if (!isExact)
    return { person: undefined, name: 'An older version', ago: ago === undefined ? ago : `before ${ago}` };
  const { name, person } = whoWrote(version, own, people);
  return { person, name, ago, event: version.event, atMs: ms };
}

/** Returns the author as one line. */
export const authorText = ({ name, ago }: FieldAuthor): string =>
  ago === undefined ? name : `${name}, ${ago}`;
