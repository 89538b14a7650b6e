import { Crown } from 'lucide-react';
import { useState } from 'react';
import { useLocation } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { useConfirmed, WithConfirm } from '../account/confirm-identity.tsx';

export interface MakeOwnerProps {
  readonly tenantId: string;
  readonly userId: string;
  readonly who: string;
}

/** Transfers the tenant to another admin after a confirmation. Only for the owner. */
export function MakeOwner(props: MakeOwnerProps) {
  const { pathname } = useLocation();
  return (
    <WithConfirm here={pathname}>
      <HandOver {...props} />
    </WithConfirm>
  );
}

function HandOver({ tenantId, userId, who }: MakeOwnerProps) {
  const { api } = useApp();
  const toast = useToast();
  const confirmed = useConfirmed();
  const [asking, setAsking] = useState(false);
  const transfer = useCall({
    call: () => confirmed(() => api.transferTenant(tenantId, userId)),
    changes: [tenantQueries.list(api).queryKey],
    onDone: () => toast(`${who} now owns the tenant.`),
  });
  return (
    <>
      <IconButton label={`Make ${who} the owner`} onClick={() => setAsking(true)}>
        <Crown size={16} aria-hidden />
      </IconButton>
      {asking && (
        <ConfirmDialog
          title="Transfer the tenant?"
          action="Make owner"
          busy={transfer.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => transfer.mutate(undefined, { onSettled: () => setAsking(false) })}
        >
          {who} becomes the owner and can remove you. You stay an admin, and only {who} can transfer the
          tenant back.
        </ConfirmDialog>
      )}
    </>
  );
}
