/** Decides whether the page of a document shows a merge. */
import type { DocumentConflicts } from 'fixpoint';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import type { Fields } from '../../../values/document-fields.ts';
import { canMerge, MERGED } from '../../history/conflicts/use-conflict.ts';
import { type Draft, isExact, underneath } from '../document/draft.ts';

export const MERGE_TITLE = 'Merge both versions';

/** Marks the entry of the browser's history that the Merge button added. */
const OPENED = 'merge';

/** Returns whether the address asks for the merge, and a function that opens or closes it. */
export function useIsMerging(): readonly [boolean, (isMerging: boolean) => void] {
  const [parameters, setParameters] = useSearchParams();
  const { state } = useLocation();
  const navigate = useNavigate();
  const set = (isMerging: boolean) => {
    if (!isMerging && state === OPENED) return void navigate(-1);
    setParameters(
      (now) => {
        const next = new URLSearchParams(now);
        if (isMerging) next.set(MERGED, '');
        else next.delete(MERGED);
        return next;
      },
      isMerging ? { state: OPENED } : { replace: true },
    );
  };
  return [parameters.has(MERGED), set];
}

export type Merge =
  | { readonly what: 'draft'; readonly base: Fields; readonly mine: Fields; readonly theirs: Fields }
  | { readonly what: 'versions'; readonly conflict: DocumentConflicts };

/** Returns whether the text and the stored document can be merged. */
export const canMergeDraft = (draft: Draft): boolean => mergeOfDraft(draft) !== undefined;

/** Returns what can be merged: first the text that the user edits, then versions of devices. */
export function mergeOf(draft: Draft, conflict: DocumentConflicts | undefined): Merge | undefined {
  const own = mergeOfDraft(draft);
  if (own !== undefined) return own;
  return conflict !== undefined && canMerge(conflict) ? { what: 'versions', conflict } : undefined;
}

function mergeOfDraft(draft: Draft): Merge | undefined {
  const { base, stored, parsed } = draft;
  if (underneath(draft) !== 'changed' || base === undefined || stored === undefined) return undefined;
  if (parsed.problem !== undefined || !isExact(stored)) return undefined;
  return { what: 'draft', base, mine: parsed.fields, theirs: stored };
}
