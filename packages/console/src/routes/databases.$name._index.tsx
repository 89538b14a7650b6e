import { Trash2 } from 'lucide-react';
import { useSearchParams } from 'react-router';
import { tenantHere } from '../cloud/ledgers/attached-databases.ts';
import { ConnectButton } from '../features/connect/connect-links.tsx';
import { DisconnectItem, useDisconnect } from '../features/connect/disconnect-button.tsx';
import { useAttachedDatabase, useIsArriving } from '../features/connect/use-standing.ts';
import { FirstSteps } from '../features/databases/first-steps.tsx';
import { useLocalDatabase } from '../features/databases/local-database.ts';
import { LocalHeader } from '../features/databases/local-header.tsx';
import { useDeleteDatabase } from '../features/databases/use-delete-database.ts';
import { DocumentsTable } from '../features/documents/table/documents-table.tsx';
import { PastDocuments } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { useCanWrite } from '../local/can-write.ts';
import type { Connection } from '../local/connections.ts';
import { MenuItem } from '../ui/overlays/menu.tsx';
import { lazyComponent } from '../ui/pages/lazy-component.tsx';

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
  const isArriving = useIsArriving(database, connection, attachment?.status);
  return (
    <>
      <LocalHeader
        local={local}
        attached={attached}
        tenantId={tenantHere(attachment)}
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
        !isArriving && (
          <DocumentsTable
            database={database}
            basePath={pages.docs}
            toSend={attachment?.status?.toSend ?? 0}
            help={<FirstSteps name={localName} />}
          />
        )
      ) : (
        <PastDocuments database={database} head={head} pages={pages} />
      )}
    </>
  );
}

function DeleteDatabase({ name, connection }: { name: string; connection: Connection | undefined }) {
  const remove = useDeleteDatabase(name, connection);
  return (
    <MenuItem onClick={() => void remove()}>
      <Trash2 size={14} aria-hidden /> Delete Database
    </MenuItem>
  );
}
