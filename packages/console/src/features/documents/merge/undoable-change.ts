import { useCallback } from 'react';
import { useToast } from '../../../ui/overlays/toaster.tsx';
import { type Draft, isEdited } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';

/**
 * Returns a function that changes a draft, says what it did, and offers to undo it. An undo never
 * discards text that was typed in the meantime.
 */
export function useUndoableChange(live: LiveDraft): (text: string, how: (draft: Draft) => Draft) => void {
  const toast = useToast();
  return useCallback(
    (text, how) => {
      const before = live.settled();
      if (before === undefined) return;
      live.change(how);
      const after = live.settled();
      if (after === before) return;
      const undo = () => {
        const now = live.settled();
        if (now !== undefined && isEdited(now) && now.text !== after?.text)
          toast('Couldn’t undo this: you changed the text since.', { tone: 'error' });
        else
          live.change(({ stored, files, revision }) => ({
            ...before,
            stored,
            files,
            revision: revision + 1,
          }));
      };
      toast(text, { undo });
    },
    [live, toast],
  );
}
