import { LIMITS } from '@fixpoint/protocol';
import type { Invite, Member, TenantLimits } from '@fixpoint/protocol/admin';
import { useApp } from '../../cloud/app.ts';
import { ofMost } from '../../cloud/of-most.ts';
import { inviteQueries } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { resendInvite } from '../../cloud/queries/send-invite.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useInvites } from '../../cloud/queries/use-cloud.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { agoOf, dayOf } from '../../ui/text/moment.ts';
import { People, PeopleTable, PersonCells } from './people-table.tsx';

export interface InvitesListProps {
  readonly tenantId: string;
  readonly members: readonly Member[];
  readonly limits: TenantLimits | undefined;
}

/** Lists invitations to a tenant. Pending ones can be revoked. */
export function InvitesList({ tenantId, members, limits }: InvitesListProps) {
  const invites = useInvites(tenantId);
  const pending = invites.data?.filter(({ status }) => status === 'pending').length;
  return (
    <PeopleTable
      title="Invitations"
      columns={(invites.data?.length ?? 0) > 0 ? ['status', 'expires'] : undefined}
      used={pending === undefined ? undefined : `${ofMost(pending, limits?.maxInvites)} pending`}
    >
      <QueryView query={invites} isInset>
        {(tickets) =>
          tickets.length === 0 ? (
            <p className="border-t border-line px-3.5 py-4 text-sm text-ink-3">No invitations.</p>
          ) : (
            <People label="Invitations">
              {pendingFirst(tickets).map((ticket) => (
                <TicketRow key={ticket.inviteId} ticket={ticket} tenantId={tenantId} members={members} />
              ))}
            </People>
          )
        }
      </QueryView>
    </PeopleTable>
  );
}

const pendingFirst = (tickets: readonly Invite[]) =>
  [...tickets].sort((a, b) => Number(b.status === 'pending') - Number(a.status === 'pending'));

interface TicketRowProps {
  readonly ticket: Invite;
  readonly tenantId: string;
  readonly members: readonly Member[];
}

function TicketRow({ ticket, tenantId, members }: TicketRowProps) {
  const { inviteId, query, invitedUserId, invitedParams, status } = ticket;
  // The name of an invitee who accepted is known while they are a member.
  const member = members.find(({ userId }) => userId === invitedUserId);
  const who = query.byEmail ?? member?.email ?? ticket.invitee ?? invitedUserId ?? inviteId;
  const inviter = members.find(({ userId }) => userId === ticket.inviterUserId);
  const isPending = status === 'pending';
  return (
    <PersonCells
      who={who}
      name={member?.name}
      badge={invitedParams.ledger !== undefined && <Badge>for a database</Badge>}
      detail={
        <>
          Invited {inviter !== undefined && `by ${inviter.name ?? inviter.email} `}
          {agoOf(Date.parse(ticket.createdAt), Date.now())}
        </>
      }
      first={isPending ? <Badge>{status}</Badge> : <span className="text-ink-3">{status}</span>}
      second={
        isPending && (
          <>
            <span className="sm:sr-only">valid until </span>
            {dayOf(ticket.expiresAfter)}
          </>
        )
      }
    >
      {isPending && <Pending ticket={ticket} tenantId={tenantId} who={who} />}
    </PersonCells>
  );
}

/** Shows the actions for a pending invitation. */
function Pending({ ticket, tenantId, who }: { ticket: Invite; tenantId: string; who: string }) {
  const { api } = useApp();
  const toast = useToast();
  const changes = [inviteQueries.list(api, tenantId).queryKey];
  const remove = useCall({
    call: () => api.deleteInvite(ticket.inviteId),
    changes,
    onDone: () => toast(`Invitation for ${who} removed.`),
  });
  const resend = useCall({
    call: () => resendInvite(api, tenantId, ticket),
    changes,
    onDone: () => toast('Invitation sent again.'),
  });
  return (
    <>
      <Button
        tone="quiet"
        aria-label={`Resend the invitation for ${who}`}
        disabled={resend.isPending || ticket.sendEmailCount >= LIMITS.mailsPerInviteMax}
        onClick={() => resend.mutate(undefined)}
      >
        Resend
      </Button>
      <Button
        aria-label={`Remove the invitation for ${who}`}
        disabled={remove.isPending}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
    </>
  );
}
