import type { BridgedDatabase } from 'fixpoint/bridge';
import { useCanWrite } from '../../../local/can-write.ts';
import { ledgerIn } from '../../../local/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { ActionRow, ActionsCard } from '../../../ui/pages/settings.tsx';
import { useDisconnect } from '../../connect/disconnect-button.tsx';
import { compact, rotateKey, useStorageActions } from '../../sync/use-storage.ts';
import type { LocalDatabase } from '../local-database.ts';
import { useDeleteDatabase } from '../use-delete-database.ts';

/** Changes how a database is stored on this device. */
export function StorageCard({ database }: { database: BridgedDatabase }) {
  const { busy, act } = useStorageActions(() => undefined);
  return (
    <ActionsCard label="Storage">
      <ActionRow
        title="Compact"
        text="Removes data that neither the documents nor the kept history need. This also happens by itself."
      >
        <Button disabled={busy !== undefined} onClick={() => void act('compact', () => compact(database))}>
          {busy === 'compact' ? 'Compacting...' : 'Compact'}
        </Button>
      </ActionRow>
      <ActionRow
        title="Use a new key"
        text="Encrypts everything on this device again, with a new random key."
      >
        <Button disabled={busy !== undefined} onClick={() => void act('rotate', () => rotateKey(database))}>
          {busy === 'rotate' ? 'Encrypting again...' : 'Use a new key'}
        </Button>
      </ActionRow>
    </ActionsCard>
  );
}

/** Disconnects or deletes a local database. */
export function RemovalCard({ local: { localName, localPath, connection } }: { local: LocalDatabase }) {
  const canWrite = useCanWrite();
  const remoteName = connection?.remoteName ?? '';
  const disconnecting = useDisconnect({ localName, localPath, remoteName });
  const remove = useDeleteDatabase(localName, connection);
  const isInCloud = ledgerIn(connection?.endpoint ?? '') !== undefined;
  return (
    <>
      <ActionsCard label="Disconnect or delete">
        {connection !== undefined && (
          <ActionRow title="Disconnect" text="Stops the sync. Both copies stay as they are.">
            <Button onClick={disconnecting.ask}>Disconnect</Button>
          </ActionRow>
        )}
        <ActionRow
          title="Delete Database"
          text={`Deletes this copy and its history from this device.${
            isInCloud ? ' The copy on the server stays.' : ''
          }${canWrite ? '' : ' Unlock the database first.'}`}
        >
          {canWrite && <Button onClick={() => void remove()}>Delete Database</Button>}
        </ActionRow>
      </ActionsCard>
      {disconnecting.dialog}
    </>
  );
}
