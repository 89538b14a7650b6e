import { Unplug } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useRevalidator } from 'react-router';
import { detachLocal } from '../../cloud/ledgers/attached-databases.ts';
import { useVisit } from '../../leaving/visit.ts';
import { forgetConnections } from '../../local/connections.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { MenuItem } from '../../ui/overlays/menu.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useTask } from '../../ui/overlays/use-task.ts';

interface Connected {
  readonly localName: string;
  readonly remoteName: string;
  /** Path of the database under its local name, which remains. */
  readonly localPath: string;
}

export interface DisconnectButtonProps extends Connected {
  readonly label?: string;
}

export function DisconnectButton({ label = 'Disconnect', ...connected }: DisconnectButtonProps) {
  const { ask, dialog } = useDisconnect(connected);
  return (
    <>
      <Button onClick={ask}>{label}</Button>
      {dialog}
    </>
  );
}

export const DisconnectItem = ({ ask }: Pick<Disconnecting, 'ask'>) => (
  <MenuItem onClick={ask}>
    <Unplug size={14} aria-hidden /> Disconnect
  </MenuItem>
);

interface Disconnecting {
  readonly ask: () => void;
  /** The question, while it is open. A menu closes before it is answered. */
  readonly dialog: ReactNode;
}

/** Asks, then ends the sync and forgets the connection. Both copies stay. */
export function useDisconnect({ localName, remoteName, localPath }: Connected): Disconnecting {
  const begin = useVisit();
  const toast = useToast();
  const { revalidate } = useRevalidator();
  const [isAsking, setAsking] = useState(false);
  const { isBusy, run } = useTask();
  const disconnect = () => {
    const visit = begin();
    return run('Couldn’t disconnect the database', async () => {
      // Forgets first: an attachment that ends would otherwise begin again.
      await forgetConnections(localName);
      await detachLocal(localName);
      toast(`${localName} disconnected. Its documents stay here, and in ${remoteName}.`);
      setAsking(false);
      await visit.leadTo(localPath, { replace: true });
      await revalidate();
    });
  };
  return {
    ask: () => setAsking(true),
    dialog: isAsking && (
      <ConfirmDialog
        title={`Disconnect ${localName}?`}
        action="Disconnect"
        busy={isBusy}
        onClose={() => setAsking(false)}
        onConfirm={() => void disconnect()}
      >
        {`"${localName}" and "${remoteName}" no longer sync. Both copies stay as they are; changes that weren’t sent stay on this device only. You can connect them again.`}
      </ConfirmDialog>
    ),
  };
}
