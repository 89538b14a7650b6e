import type { CommitEvent } from 'fixpoint';
import { shortId } from '../../../values/shown-id.ts';
import { truncate } from '../../../values/truncate.ts';
import { type People, type Who, whoWrote } from '../../../values/who-wrote.ts';

/** Maximum number of documents to name, separately for written and deleted ones. */
const NAMED = 3;
/** Maximum length of a title, so that a line has room for all names and the count. */
const TITLE_CHARS = 24;

/** Titles of documents by id. */
export type Titles = ReadonlyMap<string, string>;
const NO_TITLES: Titles = new Map();

/** Returns the ids of the documents that the description of a commit names. */
export const namedIds = ({ ids, deletedIds }: CommitEvent) => ({
  written: ids.filter((id) => !deletedIds.includes(id)).slice(0, NAMED),
  deleted: deletedIds.slice(0, NAMED),
});

/**
 * Returns one line that names the documents a commit wrote and deleted: by their titles, as far as
 * these are known, otherwise by their ids.
 */
export function describeCommit(commit: CommitEvent, titles = NO_TITLES): string {
  const { documents, deletions, isHorizon } = commit;
  if (isHorizon === true)
    return `Snapshot of ${documents === 1 ? '1 document' : `${documents.toLocaleString('en')} documents`}`;
  if (isStart(commit)) return 'Database created';
  if (documents === 0) return 'No documents';
  const { written, deleted } = namedIds(commit);
  const listed = (ids: readonly string[], count: number) => listOf(ids, count, titles);
  if (deletions === 0) return `Wrote ${listed(written, documents)}`;
  if (deletions === documents) return `Deleted ${listed(deleted, deletions)}`;
  return `Wrote ${listed(written, documents - deletions)}; deleted ${listed(deleted, deletions)}`;
}

/** Whether the engine wrote this commit by itself, before the first write to the database. */
export const isStart = ({ documents, parents, isHorizon }: CommitEvent): boolean =>
  documents === 0 && parents.length === 0 && isHorizon !== true;

/** Returns the author of a commit. The engine's own first commit has neither device nor account. */
export function whoCommitted(commit: CommitEvent, own: string | undefined, people: People): Who {
  const who = whoWrote(commit, own, people);
  return isStart(commit) && who.id === '' ? { ...who, name: 'Fixpoint' } : who;
}

/** @param named ids of the first documents, or none */
function listOf(named: readonly string[], count: number, titles: Titles): string {
  const left = count - named.length;
  const more = left.toLocaleString('en');
  if (named.length === 0) return `${more} ${left === 1 ? 'document' : 'documents'}`;
  const names = named.map((id) => nameOf(id, titles)).join(', ');
  return left === 0 ? names : `${names} and ${more} more`;
}

/** Isolates the direction of titles, because Hebrew or Arabic names would reverse the list. */
function nameOf(id: string, titles: Titles): string {
  const title = titles.get(id);
  if (title === undefined) return shortId(id);
  const shown = truncate(title, TITLE_CHARS);
  return RIGHT_TO_LEFT.test(shown) ? `\u2068${shown}\u2069` : shown;
}

/** Matches Hebrew, Arabic and the scripts between them, with their presentation forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
