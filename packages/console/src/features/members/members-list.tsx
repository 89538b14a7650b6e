import type { Member, TenantLimits } from '@fixpoint/protocol/admin';
import { UserMinus } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { ofMost } from '../../cloud/of-most.ts';
import { ledgerQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';
import { Badge } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { MakeOwner } from './make-owner.tsx';
import { People, PeopleTable, PersonCells } from './people-table.tsx';
import { RoleSelect } from './role-select.tsx';

export interface MembersListProps {
  readonly tenantId: string;
  readonly members: readonly Member[];
  readonly limits: TenantLimits | undefined;
  /** Undefined when an older server doesn’t send it. */
  readonly ownerUserId: string | undefined;
}

/**
 * Lists the members of a tenant. Admins change roles and remove others, except the owner and the
 * last admin. The owner can transfer the tenant.
 */
export function MembersList({ tenantId, members, limits, ownerUserId }: MembersListProps) {
  const ownId = useCloudUser()?.userId;
  const admins = members.filter(({ role }) => role === 'admin').length;
  return (
    <PeopleTable
      title="Members"
      columns={['role', 'joined']}
      used={`${counted(admins, limits?.maxAdminUsers, 'admin')}, ${counted(members.length - admins, limits?.maxMemberUsers, 'member')}`}
    >
      <People label="Members">
        {members.map((member) => (
          <MemberRow
            key={member.userId}
            tenantId={tenantId}
            member={member}
            isOwn={member.userId === ownId}
            isLastAdmin={member.role === 'admin' && admins === 1}
            isOwner={member.userId === ownerUserId}
            mayHandOver={ownId !== undefined && ownId === ownerUserId && member.role === 'admin'}
          />
        ))}
      </People>
    </PeopleTable>
  );
}

/** Returns "1 admin", or "1 of 5 admins" with a limit. */
const counted = (count: number, most: number | undefined, noun: string): string =>
  `${ofMost(count, most)} ${count === 1 && most === undefined ? noun : `${noun}s`}`;

interface MemberRowProps {
  readonly tenantId: string;
  readonly member: Member;
  readonly isOwn: boolean;
  readonly isLastAdmin: boolean;
  readonly isOwner: boolean;
  /** Whether the user owns the tenant and can transfer it to this member. */
  readonly mayHandOver: boolean;
}

function MemberRow({ tenantId, member, isOwn, isLastAdmin, isOwner, mayHandOver }: MemberRowProps) {
  const { userId, name, email, role, joinedAt } = member;
  const who = email ?? userId;
  return (
    <PersonCells
      who={who}
      name={name}
      badge={
        <>
          {isOwn && <Badge>You</Badge>}
          {isOwner && <Badge title="The tenant counts towards the owner’s limit of tenants.">Owner</Badge>}
        </>
      }
      first={
        isLastAdmin || isOwner ? (
          <Badge
            tone="accent"
            title={isOwner ? 'The owner is always an admin.' : 'A tenant needs at least one admin.'}
          >
            {role}
          </Badge>
        ) : (
          <RoleSelect tenantId={tenantId} userId={userId} who={who} role={role} />
        )
      }
      second={
        joinedAt !== undefined && (
          <>
            <span className="sm:sr-only">joined </span>
            {dayOf(joinedAt)}
          </>
        )
      }
    >
      {mayHandOver && !isOwner && <MakeOwner tenantId={tenantId} userId={userId} who={who} />}
      {!isOwn && !isOwner && <Remove tenantId={tenantId} userId={userId} who={who} name={name} />}
    </PersonCells>
  );
}

interface RemoveProps {
  readonly tenantId: string;
  readonly userId: string;
  readonly who: string;
  readonly name: string | undefined;
}

function Remove({ tenantId, userId, who, name }: RemoveProps) {
  const { api } = useApp();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const remove = useCall({
    call: () => api.removeMember(tenantId, userId),
    changes: [tenantQueries.list(api).queryKey, ledgerQueries.all, ['shares']],
    onDone: () => toast(`${who} was removed from the tenant.`),
  });
  return (
    <>
      <IconButton label={`Remove ${who}`} onClick={() => setAsking(true)}>
        <UserMinus size={16} aria-hidden />
      </IconButton>
      {asking && (
        <ConfirmDialog
          title="Remove from the tenant?"
          action="Remove member"
          busy={remove.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate(undefined, { onSettled: () => setAsking(false) })}
        >
          {name === undefined ? who : `${name} (${who})`} loses access to all databases of the tenant. The
          documents that they wrote stay in these databases.
        </ConfirmDialog>
      )}
    </>
  );
}
