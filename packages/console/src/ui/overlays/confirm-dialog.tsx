import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import { Dialog } from './dialog.tsx';

export interface ConfirmDialogProps {
  readonly title: string;
  /** A description of what will be lost, and for whom. */
  readonly children: ReactNode;
  /** Further choices that belong to the action. */
  readonly fields?: ReactNode;
  /** The label of the button that confirms. */
  readonly action: string;
  readonly busy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before a destructive action. */
export function ConfirmDialog({ title, children, fields, action, busy = false, ...on }: ConfirmDialogProps) {
  return (
    <Dialog
      open
      onClose={on.onClose}
      title={title}
      description={children}
      {...(fields !== undefined && { children: fields })}
      actions={
        <>
          <Button onClick={on.onClose}>Cancel</Button>
          <Button tone="confirm" disabled={busy} onClick={on.onConfirm}>
            {action}
          </Button>
        </>
      }
    />
  );
}
