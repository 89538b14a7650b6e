import type { BridgedDatabase } from 'fixpoint/bridge';
import type { People } from '../../../values/who-wrote.ts';
import type { Draft } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';
import { DraftMerge } from './draft-merge.tsx';
import type { Merge } from './merging.ts';
import { OtherConflicts } from './other-conflicts.tsx';
import { VersionsMerge } from './versions-merge.tsx';

export interface DocumentMergeProps {
  readonly database: BridgedDatabase;
  readonly draft: Draft;
  readonly live: LiveDraft;
  readonly merge: Merge;
  readonly people: People | undefined;
  readonly basePath: string;
  readonly onDone: () => void;
}

/** Shows the merge of a document: of the edited text, or of versions of several devices. */
export function DocumentMerge(props: DocumentMergeProps) {
  const { database, draft, live, merge, people, basePath, onDone } = props;
  const others = <OtherConflicts {...{ database, basePath }} id={draft.id} />;
  if (merge.what === 'draft')
    return (
      <DraftMerge
        {...{ database, draft, live, people, onDone }}
        base={merge.base}
        mine={merge.mine}
        theirs={merge.theirs}
      >
        {others}
      </DraftMerge>
    );
  if (draft.id === undefined) return null;
  return (
    <VersionsMerge {...{ database, people, onDone }} page={live} id={draft.id} conflict={merge.conflict}>
      {others}
    </VersionsMerge>
  );
}
