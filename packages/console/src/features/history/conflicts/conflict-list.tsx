import { useConflicts } from '@fixpoint/react';
import type { Database } from 'fixpoint';
import { Link } from 'react-router';
import { documentPath } from '../../../local/document-path.ts';
import { Card } from '../../../ui/pages/page.tsx';
import { UnknownConflicts } from '../../../ui/text/unknown-conflicts.tsx';
import { shownId } from '../../../values/shown-id.ts';
import type { People } from '../../../values/who-wrote.ts';
import { useKnownPeople } from '../use-known-people.ts';
import { Conflict } from './conflict-panel.tsx';
import { MERGED } from './use-conflict.ts';

/** Lists documents with conflicts, live, and lets the user resolve each conflict. */
export function ConflictList(props: {
  readonly database: Database;
  readonly docsPath: string;
  readonly people?: People | undefined;
}) {
  const { database, docsPath } = props;
  const people = useKnownPeople(database, props.people);
  const { conflicts, unread, hydrated, error } = useConflicts(database);
  return (
    <Card title="Conflicts" lead="Documents that were changed on several devices at the same time.">
      <UnknownConflicts {...{ unread, error }}>
        Other devices that sync with this database may still have the data.
      </UnknownConflicts>
      {error === undefined && conflicts.length === 0 && unread.length === 0 && (
        <p className="text-sm text-ink-3">{hydrated ? 'No conflicts found.' : 'Searching...'}</p>
      )}
      <ul className="flex flex-col gap-4">
        {conflicts.map(({ id, ...versions }) => (
          <li key={id} className="flex flex-col gap-1.5">
            <Link
              to={documentPath(docsPath, id)}
              className="font-mono text-xs break-all text-accent-ink hover:underline"
            >
              {shownId(id)}
            </Link>
            <Conflict
              {...{ database, id, people }}
              conflicts={versions}
              mergePath={`${documentPath(docsPath, id)}?${MERGED}=`}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
