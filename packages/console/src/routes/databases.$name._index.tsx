import { Trash2 } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { FirstSteps } from '../features/databases/first-steps.tsx';
import { type LocalDatabase, useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { DocumentsTable } from '../features/documents/table/documents-table.tsx';
import { PastDocuments } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { useVisit } from '../leaving/visit.ts';
import { useCanWrite } from '../local/can-write.ts';
import { forgetConnections } from '../local/connections.ts';
import { destroyLocal } from '../local/databases.ts';
import { Badge } from '../ui/badge.tsx';
import { MenuItem } from '../ui/overlays/menu.tsx';
import { useToast } from '../ui/overlays/toaster.tsx';
import { failureText } from '../ui/text/failure-text.ts';

/** /fp/databases/{name}: all documents. */
export function Component() {
  const local = useLocalDatabase();
  const canWrite = useCanWrite();
  const head = headIn(useSearchParams()[0]);
  return (
    <>
      <LocalHeader
        local={local}
        items={canWrite && head === undefined && <DeleteDatabase name={local.localName} />}
      />
      <ConnectionLine local={local} />
      {head === undefined ? (
        <DocumentsTable
          database={local.database}
          basePath={local.pages.docs}
          help={<FirstSteps name={local.localName} />}
        />
      ) : (
        <PastDocuments database={local.database} head={head} pages={local.pages} />
      )}
    </>
  );
}

function ConnectionLine({ local: { connection } }: { local: LocalDatabase }) {
  if (connection === undefined) return null;
  return (
    <p className="mb-3 flex min-w-0 flex-wrap items-center gap-2 text-sm text-ink-3">
      <Badge tone="accent">Connected</Badge>
      <span className="min-w-0 wrap-anywhere">
        {connection.localName} → {connection.remoteName}
        {connection.endpoint !== '' && ` at ${connection.endpoint}`}
      </span>
    </p>
  );
}

/** Asks for confirmation, and removes the database from this browser. */
function DeleteDatabase({ name }: { name: string }) {
  const begin = useVisit();
  const toast = useToast();
  const remove = async () => {
    const question = `Are you sure you want to delete the database "${name}"?\n\nIts documents, its history and its saved queries are removed from this browser for good.`;
    if (!window.confirm(question)) return;
    const visit = begin();
    try {
      await destroyLocal(name);
      await forgetConnections(name);
      toast(`${name} deleted.`);
      await visit.leadTo('/');
    } catch (error) {
      toast(`Couldn’t delete the database: ${failureText(error)}`, { tone: 'error' });
    }
  };
  return (
    <MenuItem onClick={() => void remove()}>
      <Trash2 size={14} aria-hidden /> Delete Database
    </MenuItem>
  );
}
