/** Decides whether the page of a document shows a merge. */
import type { DocumentConflicts } from 'fixpoint';
import { useEffect, useRef } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { warnWhile } from '../../../leaving/ask-before-leaving.ts';
import { useToast } from '../../../ui/overlays/toaster.tsx';
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

const QUESTION = 'Your choices in this merge aren’t saved. Leave without saving them?';

/** Asks before the page is left with choices that aren't saved. */
export function useQuestion(isOn: boolean, isLoss: () => boolean): void {
  const asked = useRef(isLoss);
  useEffect(() => {
    asked.current = isLoss;
  });
  useEffect(() => (isOn ? warnWhile(() => asked.current(), QUESTION) : undefined), [isOn]);
}

/** Pages whose user ends the conflict. */
const ends = new WeakSet<object>();

/**
 * Ends a conflict for the user of a page, who needs no message about that.
 * @throws an Error with a text for users if somebody changed the document
 */
export async function ending<T>(page: object, write: () => Promise<T | undefined>): Promise<T> {
  ends.add(page);
  try {
    const done = await write();
    if (done !== undefined) return done;
    throw new Error('somebody changed this document in the meantime. Check your choices, then merge.');
  } catch (error) {
    ends.delete(page);
    throw error;
  }
}

/** Must be called when the page shows another conflict. */
export const hasEnded = (page: object): void => void ends.delete(page);

/**
 * Tells the user why the merge of a conflict closes: because the conflict ended elsewhere, or
 * because another device deleted the document, too.
 */
export function useConflictEnd(
  page: object,
  isMerging: boolean,
  merge: Merge | undefined,
  conflict: DocumentConflicts | undefined,
): void {
  const toast = useToast();
  const before = useRef<Merge['what']>(undefined);
  const what = merge?.what;
  const text = conflict === undefined ? ENDED_TEXT : canMerge(conflict) ? undefined : CANT_MERGE_TEXT;
  useEffect(() => {
    const wasMerging = before.current === 'versions';
    before.current = what;
    if (wasMerging && isMerging && what === undefined && text !== undefined && !ends.has(page)) toast(text);
  }, [page, isMerging, what, text, toast]);
}

const ENDED_TEXT =
  'Somebody else resolved this conflict while you were choosing. Their version is shown; yours stays in the history.';
const CANT_MERGE_TEXT = 'These versions can’t be merged field by field any more. Choose one of them.';
