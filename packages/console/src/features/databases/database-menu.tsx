import type { BridgedDatabase } from 'fixpoint/bridge';
import { Ellipsis, HardDrive, Lock } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { setLocked, useIsLocked } from '../../local/lock.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import type { DatabaseToSync } from '../sync/sync-dialog.tsx';

const SyncDialog = lazyComponent(async () => (await import('../sync/sync-dialog.tsx')).SyncDialog);
const ICON = { size: 14, 'aria-hidden': true } as const;

export interface DatabaseMenuProps extends DatabaseToSync {
  readonly database: BridgedDatabase;
  /** Whether the user may lock the database against changes by accident. */
  readonly canLock?: boolean;
  /** More items, at the end. */
  readonly children?: ReactNode;
}

/** Renders the menu of a database in its title line: lock, sync and storage, and more. */
export function DatabaseMenu({ canLock = true, children, ...shown }: DatabaseMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const isLocked = useIsLocked(shown.database.name);
  return (
    <>
      <Menu
        trigger={
          <IconButton label="Database actions">
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        {canLock && !isLocked && (
          <MenuItem onClick={() => setLocked(shown.database.name, true)}>
            <Lock {...ICON} /> Lock
          </MenuItem>
        )}
        <MenuItem onClick={() => setOpen(true)}>
          <HardDrive {...ICON} /> {shown.attached === undefined ? 'Storage' : 'Sync and storage'}
        </MenuItem>
        {children !== undefined && <MenuSeparator />}
        {children}
      </Menu>
      {isOpen && <SyncDialog {...shown} onClose={() => setOpen(false)} />}
    </>
  );
}

/** Shows that a database is locked against accidental changes, and unlocks it. */
export function LockedButton({ database }: { database: string }) {
  if (!useIsLocked(database)) return null;
  return (
    <Button
      aria-pressed
      title="This database is locked against changes. Click to unlock it."
      className="border-accent-line bg-accent-soft text-accent-ink"
      onClick={() => setLocked(database, false)}
    >
      <Lock size={13} aria-hidden /> <span className="max-sm:sr-only">Locked</span>
    </Button>
  );
}
