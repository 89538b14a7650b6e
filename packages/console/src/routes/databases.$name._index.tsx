import { Trash2 } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { detachLocal } from '../cloud/ledgers/attached-databases.ts';
import { ConnectButton } from '../features/connect/connect-links.tsx';
import { DisconnectItem, useDisconnect } from '../features/connect/disconnect-button.tsx';
import { useAttachedDatabase } from '../features/connect/use-standing.ts';
import { FirstSteps } from '../features/databases/first-steps.tsx';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { DocumentsTable } from '../features/documents/table/documents-table.tsx';
import { PastDocuments } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { useVisit } from '../leaving/visit.ts';
import { useCanWrite } from '../local/can-write.ts';
import { type Connection, forgetConnections } from '../local/connections.ts';
import { destroyLocal } from '../local/databases.ts';
import { placeIn } from '../local/endpoint.ts';
import { MenuItem } from '../ui/overlays/menu.tsx';
import { useToast } from '../ui/overlays/toaster.tsx';
import { lazyComponent } from '../ui/pages/lazy-component.tsx';
import { failureText } from '../ui/text/failure-text.ts';

const ConnectionPart = lazyComponent(
  async () => (await import('../features/connect/connection-part.tsx')).ConnectionPart,
);
const KeysNotice = lazyComponent(async () => (await import('../features/keys/keys-notice.tsx')).KeysNotice);

/** /fp/databases/{name}: all documents. */
export function Component() {
  const local = useLocalDatabase();
  const { database, localName, localPath, pages, connection } = local;
  const remoteName = connection?.remoteName ?? '';
  const disconnecting = useDisconnect({ localName, localPath, remoteName });
  const canWrite = useCanWrite();
  const head = headIn(useSearchParams()[0]);
  const attachment = useAttachedDatabase(localName);
  const attached = attachment?.attached;
  return (
    <>
      <LocalHeader
        local={local}
        attached={attached}
        tenantId={attachment?.place.tenantId}
        items={
          <>
            {connection !== undefined && <DisconnectItem ask={disconnecting.ask} />}
            {canWrite && head === undefined && <DeleteDatabase name={localName} connection={connection} />}
          </>
        }
      >
        {connection === undefined && <ConnectButton localName={localName} />}
      </LocalHeader>
      {disconnecting.dialog}
      {connection !== undefined && (
        <ConnectionPart
          // The panel of one connection must not show the progress of another.
          key={connection.endpoint}
          {...{ database, localName, localPath, connection }}
          docsPath={pages.docs}
        />
      )}
      {attached !== undefined && <KeysNotice attached={attached} />}
      {head === undefined ? (
        <DocumentsTable
          database={database}
          basePath={pages.docs}
          toSend={attachment?.status?.toSend ?? 0}
          help={<FirstSteps name={localName} />}
        />
      ) : (
        <PastDocuments database={database} head={head} pages={pages} />
      )}
    </>
  );
}

/** Asks for confirmation, and removes the database from this browser. */
function DeleteDatabase({ name, connection }: { name: string; connection: Connection | undefined }) {
  const begin = useVisit();
  const toast = useToast();
  const remove = async () => {
    const kept =
      connection === undefined || placeIn(connection.endpoint) === undefined
        ? ''
        : `\n\n"${connection.remoteName}" in the cloud stays, with all documents that were sent.`;
    const question = `Are you sure you want to delete the database "${name}"?\n\nIts documents, its history and its saved queries are removed from this browser for good.${kept}`;
    if (!window.confirm(question)) return;
    const visit = begin();
    try {
      // Otherwise the sync would go on with a database that is gone.
      await detachLocal(name);
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
