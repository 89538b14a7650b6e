import type { Application } from '@fixpoint/protocol/admin';
import { useApp } from '../../cloud/app.ts';
import { applicationsQuery } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';

export interface DeleteApplicationProps {
  readonly application: Application;
  readonly onClose: () => void;
}

/** Asks before it deletes an application. */
export function DeleteApplication({ application, onClose }: DeleteApplicationProps) {
  const { tenantId, applicationId, name } = application;
  const { api } = useApp();
  const toast = useToast();
  const remove = useCall({
    call: () => api.deleteApplication({ tenantId, applicationId }),
    changes: [applicationsQuery(api, tenantId).queryKey],
    onDone: () => toast(`${name} deleted.`),
  });
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      action="Delete application"
      busy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      Everybody is signed out of the app within five seconds, and nobody can sign in to it any more. Databases
      and documents stay. This can’t be undone: a new registration gets a new id.
    </ConfirmDialog>
  );
}
