import type { CommitEvent } from 'fixpoint';
import { shortId } from '../../../values/shown-id.ts';
import { type People, type Who, whoWrote } from '../../../values/who-wrote.ts';

/** Maximum number of documents to name, separately for written and deleted ones. */
const NAMED = 3;

/** Returns one line that names the documents a commit wrote and deleted. */
export function describeCommit(commit: CommitEvent): string {
  const { ids, documents, deletedIds, deletions, isHorizon } = commit;
  if (isHorizon === true)
    return `Snapshot of ${documents === 1 ? '1 document' : `${documents.toLocaleString('en')} documents`}`;
  if (isStart(commit)) return 'Database created';
  if (documents === 0) return 'No documents';
  const written = ids.filter((id) => !deletedIds.includes(id));
  if (deletions === 0) return `Wrote ${listed(written, documents)}`;
  if (deletions === documents) return `Deleted ${listed(deletedIds, deletions)}`;
  return `Wrote ${listed(written, documents - deletions)}; deleted ${listed(deletedIds, deletions)}`;
}

/** Whether the engine wrote this commit by itself, before the first write to the database. */
export const isStart = ({ documents, parents, isHorizon }: CommitEvent): boolean =>
  documents === 0 && parents.length === 0 && isHorizon !== true;

/** Returns the author of a commit. The engine's own first commit has neither device nor account. */
export function whoCommitted(commit: CommitEvent, own: string | undefined, people: People): Who {
  const who = whoWrote(commit, own, people);
  return isStart(commit) && who.id === '' ? { ...who, name: 'Fixpoint' } : who;
}

/** @param known ids of the first documents, or none */
function listed(known: readonly string[], count: number): string {
  const named = known.slice(0, NAMED);
  const left = count - named.length;
  const more = left.toLocaleString('en');
  if (named.length === 0) return `${more} ${left === 1 ? 'document' : 'documents'}`;
  const names = named.map(shortId).join(', ');
  return left === 0 ? names : `${names} and ${more} more`;
}
