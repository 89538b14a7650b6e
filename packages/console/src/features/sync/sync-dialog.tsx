import type { Attached } from 'fixpoint';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorPanel, Skeleton } from '../../ui/feedback.tsx';
import { DevicesPart } from './devices-part.tsx';
import { HeldPart } from './held-part.tsx';
import { Part } from './part.tsx';
import { StoragePart } from './storage-part.tsx';
import type { SyncButtonProps } from './sync-button.tsx';
import { SyncPart } from './sync-part.tsx';
import { useSettled } from './use-settled.ts';

/** How a database syncs, where it is stored, and who has its keys. */
export function SyncDialog({ database, attached, onClose }: SyncButtonProps & { onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={attached === undefined ? 'Storage' : 'Sync and storage'}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <div className="-mx-5 flex max-h-[65vh] flex-col divide-y divide-line overflow-y-auto border-y border-line">
        {attached !== undefined && <Ledger database={database.name} attached={attached} />}
        <StoragePart database={database} />
      </div>
    </Dialog>
  );
}

function Ledger({ database, attached }: { database: string; attached: Promise<Attached> }) {
  const found = useSettled(attached);
  if (found === undefined)
    return (
      <Part title="Sync">
        <Skeleton text="Connecting..." />
      </Part>
    );
  if ('error' in found)
    return (
      <Part title="Sync">
        <ErrorPanel message={found.error.message} />
      </Part>
    );
  return (
    <>
      <SyncPart database={database} attached={found.value} />
      <HeldPart attached={found.value} />
      <DevicesPart attached={found.value} />
    </>
  );
}
