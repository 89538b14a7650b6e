import type { UserTenant } from '@fixpoint/protocol/admin';
import type { Attached } from 'fixpoint';
import { Users } from 'lucide-react';
import type { ReactNode } from 'react';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { useShares, useTenants } from '../../cloud/queries/use-cloud.ts';
import { LinkButton } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/pages/feedback.tsx';
import { Columns } from '../../ui/pages/settings.tsx';
import { DevicesCard, KeyCards } from '../keys/key-cards.tsx';
import { useKnownKind } from '../keys/use-known-kind.ts';
import { ShareForm } from './share-form.tsx';
import { SharesList } from './shares-list.tsx';

export interface LedgerSharingProps {
  readonly tenantId: string;
  readonly ledgerId: string;
  /** Undefined while this browser isn't attached to the ledger. */
  readonly attached: Promise<Attached> | undefined;
  /** Says more about the database. */
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
}

/** Shows who has access to a ledger, and which devices have its keys. */
export function LedgerSharing({ tenantId, ledgerId, attached, note, actions }: LedgerSharingProps) {
  const settled = useKnownKind(attached);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="max-w-prose">
          <p className="text-base text-ink-2">Control who has access to your database.</p>
          {note !== undefined && <p className="text-ink-3">{note}</p>}
        </div>
        {actions}
      </div>
      <QueryView query={useTenants()}>
        {(tenants) => {
          const tenant = tenants.find((one) => one.tenantId === tenantId);
          return (
            <Columns aside={<KeyCards attached={settled} />}>
              {tenant?.role === 'admin' ? (
                <People {...{ ledgerId, tenant }} />
              ) : (
                <ForAdmins isMember={tenant !== undefined} />
              )}
              {settled?.kind() === 'sealed' && <DevicesCard attached={settled} />}
            </Columns>
          );
        }}
      </QueryView>
    </div>
  );
}

function People({ ledgerId, tenant }: { ledgerId: string; tenant: UserTenant }) {
  const { tenantId, members = [] } = tenant;
  return (
    <QueryView query={useShares(tenantId, ledgerId)}>
      {(given) => (
        <>
          <SharesList {...{ tenantId, members, given }} />
          <ShareForm {...{ tenantId, members, given }} />
          <div>
            <LinkButton to={`/fp/cloud/tenants/${tenantId}/members`}>Members of the tenant</LinkButton>
          </div>
        </>
      )}
    </QueryView>
  );
}

function ForAdmins({ isMember }: { isMember: boolean }) {
  return (
    <EmptyState
      icon={<Users size={20} />}
      title={isMember ? 'Admins manage access' : 'No access'}
      text={
        isMember
          ? 'Admins of the tenant manage access. Ask an admin to change who can read or write this database.'
          : 'You don’t have access to this database in the cloud, or it was deleted. Ask an admin of the tenant.'
      }
    />
  );
}
