import { Lock, LockOpen } from 'lucide-react';
import { setLocked, useIsLocked } from '../../local/lock.ts';
import { Button } from '../../ui/button.tsx';

/** Locks a database against accidental changes, or unlocks it. */
export function LockButton({ database }: { database: string }) {
  const isLocked = useIsLocked(database);
  const Icon = isLocked ? Lock : LockOpen;
  return (
    <Button
      size="sm"
      aria-pressed={isLocked}
      title={
        isLocked
          ? 'This database is locked against changes. Click to unlock it.'
          : 'Lock this database to prevent accidental changes'
      }
      className="aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent"
      onClick={() => setLocked(database, !isLocked)}
    >
      <Icon size={13} aria-hidden /> {isLocked ? 'Locked' : 'Lock'}
    </Button>
  );
}
