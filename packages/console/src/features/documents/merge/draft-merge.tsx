import type { BridgedDatabase } from 'fixpoint/bridge';
import type { ReactNode } from 'react';
import type { Fields } from '../../../values/document-fields.ts';
import type { People } from '../../../values/who-wrote.ts';
import { same } from '../choices/merge-fields.ts';
import { forgetKept } from '../choices/use-kept.ts';
import { type Draft, takeMerged } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';
import { MergePage } from './merge-page.tsx';
import { type SideFacts, useLatestAuthor } from './side-facts.ts';
import { useUndoableChange } from './undoable-change.ts';

export interface DraftMergeProps {
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly base: Fields;
  readonly mine: Fields;
  readonly theirs: Fields;
  readonly people: People | undefined;
  readonly onDone: () => void;
  readonly children?: ReactNode;
}

/** Tells the choices from those between versions of devices. */
const NAME = 'draft';
const MINE: SideFacts = { name: 'Mine', person: undefined, text: 'You, not saved yet' };

/** Merges the text that the user edits with the stored document, which somebody else changed. */
export function DraftMerge(props: DraftMergeProps) {
  const { database, draft, live, base, mine, theirs, people, onDone, children } = props;
  const otherFacts = useLatestAuthor(database, draft.id, people);
  const change = useUndoableChange(live);
  const merge = (fields: Fields) => {
    // The document may have changed again since this was rendered. The page then asks again.
    if (!same(live.settled()?.stored, theirs)) return;
    change('Merged both versions. Save the document to keep the result.', (now) => takeMerged(now, fields));
    forgetKept(live, NAME);
    onDone();
  };
  return (
    <MergePage
      {...{ base, mine, theirs, otherFacts }}
      id={draft.id}
      mineFacts={MINE}
      page={live}
      name={NAME}
      onMerge={merge}
      onCancel={onDone}
    >
      {children}
    </MergePage>
  );
}
