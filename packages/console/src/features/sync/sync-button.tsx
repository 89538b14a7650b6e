import { HardDrive } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import type { DatabaseToSync } from './sync-dialog.tsx';

const SyncDialog = lazyComponent(async () => (await import('./sync-dialog.tsx')).SyncDialog);

/** Opens the dialog about a database's sync, storage and keys. */
export function SyncButton(props: DatabaseToSync) {
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
