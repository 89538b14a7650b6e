import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { ledgerQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';

export interface LeaveCardProps {
  readonly tenantId: string;
  readonly isLastAdmin: boolean;
  readonly isOwner?: boolean;
}

/** Ends the user's own membership; tells the owner and the last admin what to do first. */
export function LeaveCard({ tenantId, isLastAdmin, isOwner = false }: LeaveCardProps) {
  const { api } = useApp();
  const ownId = useCloudUser()?.userId;
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const leave = useCall({
    call: (userId: string) => api.removeMember(tenantId, userId),
    changes: [tenantQueries.list(api).queryKey, ledgerQueries.all],
    onDone: () => toast('You left the tenant.'),
    onFresh: (_done, visit) => visit.leadTo('/fp/cloud'),
  });
  const lead = leadOf(isOwner, isLastAdmin);
  return (
    <Card title="Leave this tenant" lead={lead}>
      <Button
        disabled={isLastAdmin || isOwner || ownId === undefined || leave.isPending}
        onClick={() => setAsking(true)}
      >
        Leave
      </Button>
      {asking && ownId !== undefined && (
        <ConfirmDialog
          title="Leave this tenant?"
          action="Leave tenant"
          busy={leave.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => leave.mutate(ownId, { onSettled: () => setAsking(false) })}
        >
          You can return only if an admin invites you again.
        </ConfirmDialog>
      )}
    </Card>
  );
}

function leadOf(isOwner: boolean, isLastAdmin: boolean): string {
  if (isLastAdmin)
    return 'You are the last admin. Make somebody else an admin first, or delete the tenant in its settings.';
  if (isOwner)
    return 'You own this tenant. Make another admin the owner first, or delete the tenant in its settings.';
  return 'You lose access to all databases of this tenant. The documents that you wrote stay in these databases.';
}
