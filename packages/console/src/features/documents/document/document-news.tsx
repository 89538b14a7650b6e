import { TriangleAlert } from 'lucide-react';
import { Button } from '../../../ui/button.tsx';
import { canMergeDraft } from '../merge/merging.ts';
import { useUndoableChange } from '../merge/undoable-change.ts';
import { type Draft, keepText, takeStored, underneath } from './draft.ts';
import type { LiveDraft } from './live-draft.ts';

export interface DocumentNewsProps {
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly onMerge: () => void;
}

/** Says that the document was changed or deleted elsewhere, and lets the user choose a version. */
export function DocumentNews({ draft, live, onMerge }: DocumentNewsProps) {
  const what = underneath(draft);
  const change = useUndoableChange(live);
  if (what === undefined) return null;
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-conflict-line bg-conflict-soft py-1.5 pr-1.5 pl-3 text-sm"
    >
      <TriangleAlert size={16} aria-hidden className="shrink-0 text-conflict" />
      <p className="mr-auto max-sm:flex-1">
        {what === 'changed'
          ? 'This document was changed elsewhere while you edited it. Merge both versions, or choose one.'
          : 'This document was deleted elsewhere. Saving creates it again with your text.'}
      </p>
      {what === 'changed' && (
        <Button tone="quiet" onClick={() => change('Discarded your text.', takeStored)}>
          Use the other version
        </Button>
      )}
      <Button tone="quiet" onClick={() => change('Kept your version.', keepText)}>
        Keep my version
      </Button>
      {canMergeDraft(draft) && (
        <Button tone="decide" onClick={onMerge}>
          Merge...
        </Button>
      )}
    </div>
  );
}
