import type { Attached } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { DialogPart } from '../../ui/overlays/dialog-part.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { DevicesPart } from '../keys/devices-part.tsx';
import { syncProblem } from './describe-sync.ts';
import { HeldPart } from './held-part.tsx';
import { StoragePart } from './storage-part.tsx';
import { SyncPart } from './sync-part.tsx';
import { WithheldPart } from './withheld-part.tsx';

export interface DatabaseToSync {
  readonly database: BridgedDatabase;
  /** The ledger that the database syncs with; undefined for a local database. */
  readonly attached?: Promise<Attached> | undefined;
  /** The tenant of that ledger. */
  readonly tenantId?: string;
}

/** Shows how a database syncs, where it is stored, and who has its keys. */
export function SyncDialog({
  database,
  attached,
  tenantId = '',
  onClose,
}: DatabaseToSync & { onClose: () => void }) {
  return (
    <Dialog
      open
      onClose={onClose}
      title={attached === undefined ? 'Storage' : 'Sync and storage'}
      actions={<Button onClick={onClose}>Close</Button>}
    >
      <div className="-mx-5 flex max-h-[65vh] flex-col divide-y divide-line overflow-y-auto border-y border-line">
        {attached !== undefined && <Ledger {...{ attached, tenantId }} database={database.name} />}
        <StoragePart database={database} />
      </div>
    </Dialog>
  );
}

interface LedgerProps {
  readonly database: string;
  readonly attached: Promise<Attached>;
  readonly tenantId: string;
}

function Ledger({ database, attached, tenantId }: LedgerProps) {
  const found = useSettled(attached);
  if (found === undefined)
    return (
      <DialogPart title="Sync">
        <Skeleton text="Connecting..." />
      </DialogPart>
    );
  if ('error' in found)
    return (
      <DialogPart title="Sync">
        <ErrorPanel message={syncProblem(found.error)} />
      </DialogPart>
    );
  return (
    <>
      <SyncPart database={database} attached={found.value} />
      <WithheldPart attached={found.value} tenantId={tenantId} />
      <HeldPart attached={found.value} />
      <DevicesPart attached={found.value} />
    </>
  );
}
