import type { BridgedDatabase } from 'fixpoint/bridge';
import { LinkButton } from '../../../ui/button.tsx';
import { NotFound, Skeleton } from '../../../ui/pages/feedback.tsx';
import { shownId } from '../../../values/shown-id.ts';
import type { People } from '../../../values/who-wrote.ts';
import { Conflict } from '../../history/conflicts/conflict-panel.tsx';
import { MERGED, useLoadedConflict } from '../../history/conflicts/use-conflict.ts';
import { useKnownPeople } from '../../history/use-known-people.ts';

interface MissingDocumentProps {
  readonly database: BridgedDatabase;
  readonly id: string;
  readonly backPath: string;
  readonly people: People | undefined;
}

/**
 * Says that a document doesn't exist, once its conflicts have loaded. If a deletion won over a
 * concurrent change, shows the conflict instead, so that the user can bring the document back.
 */
export function MissingDocument({ database, id, backPath, people: given }: MissingDocumentProps) {
  const people = useKnownPeople(database, given);
  const { value: conflict, isLoading } = useLoadedConflict(database, id);
  const back = <LinkButton to={backPath}>All documents</LinkButton>;
  if (conflict !== undefined)
    return (
      <div className="flex flex-col items-start gap-3">
        <Conflict {...{ database, people, id }} conflicts={conflict} mergePath={`?${MERGED}=`} />
        {back}
      </div>
    );
  if (isLoading) return <Skeleton shape="editor" />;
  return (
    <NotFound
      isPage={false}
      text={
        <>
          No document has the id <code className="font-mono wrap-anywhere">{shownId(id)}</code>. The document
          may have been deleted, or not synced to this device yet. This page shows the document as soon as it
          arrives.
        </>
      }
    >
      {back}
    </NotFound>
  );
}
