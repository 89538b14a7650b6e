import type { UserTenant } from '@fixpoint/protocol/admin';
import { Lock } from 'lucide-react';
import { useOutletContext } from 'react-router';
import { useCloudUser } from '../cloud/queries/use-cloud.ts';
import { InviteForm } from '../features/members/invite-form.tsx';
import { InvitesList } from '../features/members/invites-list.tsx';
import { LeaveCard } from '../features/members/leave-card.tsx';
import { MembersList } from '../features/members/members-list.tsx';
import { ActivityCard } from '../features/tenants/activity-card.tsx';
import { Badge } from '../ui/badge.tsx';
import { Card } from '../ui/pages/page.tsx';
import { InSlot } from '../ui/pages/page-slots.tsx';

/** /fp/cloud/tenants/{tenantId}/members */
export function Component() {
  const { tenantId, role, tenant, members = [] } = useOutletContext<UserTenant>();
  const { ownerUserId } = tenant;
  const ownId = useCloudUser()?.userId;
  if (role !== 'admin')
    return (
      <div className="flex flex-col gap-6">
        <Card title="Members">
          <p className="text-ink-3">You need admin privileges to manage members.</p>
        </Card>
        <LeaveCard tenantId={tenantId} isLastAdmin={false} />
      </div>
    );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,1fr)_19rem]">
      <InSlot name="actions">
        <span className="contents max-sm:hidden">
          <Badge>
            <Lock size={12} aria-hidden /> Only admins see this page
          </Badge>
        </span>
      </InSlot>
      <div className="flex min-w-0 flex-col gap-4">
        <InviteForm tenantId={tenantId} members={members} />
        <MembersList {...{ tenantId, members, ownerUserId }} limits={tenant.limits} />
        <InvitesList tenantId={tenantId} members={members} limits={tenant.limits} />
        <LeaveCard
          tenantId={tenantId}
          isOwner={ownId !== undefined && ownId === ownerUserId}
          isLastAdmin={members.filter((one) => one.role === 'admin').length === 1}
        />
      </div>
      <ActivityCard tenantId={tenantId} members={members} latest={ACTIVITY} />
    </div>
  );
}

/** Number of audit records to show. */
const ACTIVITY = 10;
