import type { CommitEvent } from 'fixpoint';
import { shortId } from '../../../values/shown-id.ts';

/** Maximum number of documents to name, separately for written and deleted ones. */
const NAMED = 3;

/** Returns one line that names the documents a commit wrote and deleted. */
export function describeCommit(commit: CommitEvent): string {
  const { ids, documents, deletedIds, deletions, parents, isHorizon } = commit;
  if (isHorizon === true)
    return `Snapshot of ${documents === 1 ? '1 document' : `${documents.toLocaleString('en')} documents`}`;
  if (documents === 0) return parents.length === 0 ? 'Database created' : 'No documents';
  const written = ids.filter((id) => !deletedIds.includes(id));
  if (deletions === 0) return `Wrote ${listed(written, documents)}`;
  if (deletions === documents) return `Deleted ${listed(deletedIds, deletions)}`;
  return `Wrote ${listed(written, documents - deletions)}; deleted ${listed(deletedIds, deletions)}`;
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
