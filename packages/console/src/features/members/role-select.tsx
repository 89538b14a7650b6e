import type { Role } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { ledgerQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';
import { untilStored } from '../../leaving/ask-before-leaving.ts';
import { Select } from '../../ui/forms/select.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';

export interface RoleSelectProps {
  readonly tenantId: string;
  readonly userId: string;
  readonly who: string;
  readonly role: Role;
}

/** Changes a member's role in a tenant; asks before users give up their own rights. */
export function RoleSelect({ tenantId, userId, who, role }: RoleSelectProps) {
  const isOwn = useCloudUser()?.userId === userId;
  const { api } = useApp();
  const [asking, setAsking] = useState(false);
  const change = useCall({
    call: (wanted: Role) => untilStored(api.updateUserTenant({ tenantId, userId, role: wanted })),
    changes: [tenantQueries.list(api).queryKey, ledgerQueries.all],
  });
  const choose = (wanted: Role) => (isOwn && wanted === 'member' ? setAsking(true) : change.mutate(wanted));
  return (
    <>
      <Select
        className="w-28"
        label={`Role of ${who}`}
        value={(change.isPending ? change.variables : undefined) ?? role}
        disabled={change.isPending}
        onChange={(event) => choose(event.target.value === 'admin' ? 'admin' : 'member')}
      >
        <option value="admin">admin</option>
        <option value="member">member</option>
      </Select>
      {asking && (
        <ConfirmDialog
          title="Stop being an admin?"
          action="Become a member"
          busy={change.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => change.mutate('member', { onSettled: () => setAsking(false) })}
        >
          You won’t be able to manage the tenant. Only another admin can make you an admin again.
        </ConfirmDialog>
      )}
    </>
  );
}
