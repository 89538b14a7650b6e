import type { CommitEvent } from 'fixpoint';
import { shownId } from '../../values/shown-id.ts';

/** Which documents a commit wrote, in a line. */
export function describeCommit({ ids, documents, parents, isHorizon }: CommitEvent): string {
  if (isHorizon === true)
    return `${documents === 1 ? '1 document' : `${documents.toLocaleString('en')} documents`}, as all was then`;
  if (documents === 0) return parents.length === 0 ? 'The database was made' : 'No document';
  const named = ids.slice(0, 3).map(shownId).join(', ');
  return documents > 3 ? `${named} and ${(documents - 3).toLocaleString('en')} more` : named;
}
