import type { Attached } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { HardDrive } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';

const SyncDialog = lazyComponent(async () => (await import('./sync-dialog.tsx')).SyncDialog);

export interface SyncButtonProps {
  readonly database: BridgedDatabase;
  /** The ledger that it syncs with; undefined for a local database. */
  readonly attached?: Promise<Attached> | undefined;
  /** The tenant of that ledger. */
  readonly tenantId?: string;
}

/** Opens the dialog about a database's sync, storage and keys. */
export function SyncButton(props: SyncButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="sm" onClick={() => setOpen(true)}>
        <HardDrive size={13} aria-hidden /> {props.attached === undefined ? 'Storage' : 'Sync and storage'}
      </Button>
      {isOpen && <SyncDialog {...props} onClose={() => setOpen(false)} />}
    </>
  );
}
