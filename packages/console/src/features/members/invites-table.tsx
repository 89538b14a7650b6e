import { LIMITS } from '@fixpoint/protocol';
import type { Invite, Member, TenantLimits } from '@fixpoint/protocol/admin';
import { useApp } from '../../cloud/app.ts';
import { ofMost } from '../../cloud/of-most.ts';
import { inviteQueries } from '../../cloud/queries.ts';
import { QueryView } from '../../cloud/query-view.tsx';
import { useCall } from '../../cloud/use-call.ts';
import { useInvites } from '../../cloud/use-cloud.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { dayOf } from '../../ui/moment.ts';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow } from '../../ui/table.tsx';
import { useToast } from '../../ui/toaster.tsx';
import { PersonName } from './person-row.tsx';

export interface InvitesTableProps {
  readonly tenantId: string;
  readonly members: readonly Member[];
  readonly limits: TenantLimits | undefined;
}

/** Invitations to a tenant. Those that nobody answered can be taken back. */
export function InvitesTable({ tenantId, members, limits }: InvitesTableProps) {
  const invites = useInvites(tenantId);
  const pending = invites.data?.filter(({ status }) => status === 'pending').length;
  return (
    <section aria-labelledby="invitations">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="invitations" className="font-semibold">
          Invitations
        </h2>
        {pending !== undefined && (
          <p className="text-xs text-muted">{ofMost(pending, limits?.maxInvites)} pending</p>
        )}
      </div>
      <QueryView query={invites}>
        {(tickets) =>
          tickets.length === 0 ? (
            <p className="rounded-lg border border-dashed border-line-strong px-4 py-6 text-center text-sm text-muted">
              Nobody is invited.
            </p>
          ) : (
            <Tickets tickets={tickets} tenantId={tenantId} members={members} />
          )
        }
      </QueryView>
    </section>
  );
}

interface TicketsProps {
  readonly tickets: readonly Invite[];
  readonly tenantId: string;
  readonly members: readonly Member[];
}

function Tickets({ tickets, tenantId, members }: TicketsProps) {
  const { api } = useApp();
  const remove = useCall({
    call: (inviteId: string) => api.deleteInvite(inviteId),
    changes: [inviteQueries.list(api, tenantId).queryKey],
  });
  const toast = useToast();
  const resend = useCall({
    call: ({ inviteId, invitedParams: { ledger } }: Invite) =>
      api.inviteUser({
        inviteId,
        incSendEmailCount: true,
        query: {},
        invitedParams: ledger === undefined ? { tenant: { id: tenantId } } : { ledger: { id: ledger.id } },
      }),
    changes: [inviteQueries.list(api, tenantId).queryKey],
    onDone: () => toast('The invitation is sent again.'),
  });
  return (
    <Table label="Invitations">
      <TableHead>
        <HeadCell>Invited</HeadCell>
        <HeadCell className="max-sm:hidden">Valid until</HeadCell>
        <HeadCell className="w-28 sm:w-44">
          <span className="sr-only">Status</span>
        </HeadCell>
      </TableHead>
      <TableBody>
        {tickets.map((ticket) => {
          const { inviteId, query, invitedUserId, invitedParams, status, expiresAfter } = ticket;
          // Who accepted has a name here, as long as he is a member.
          const member = members.find(({ userId }) => userId === invitedUserId);
          const whom = query.byEmail ?? member?.email ?? ticket.invitee ?? invitedUserId ?? inviteId;
          return (
            <TableRow key={inviteId}>
              <Cell id={`invited-${inviteId}`} className="max-w-0 py-2">
                <PersonName
                  who={whom}
                  name={member?.name}
                  badge={invitedParams.ledger !== undefined && <Badge>to a database</Badge>}
                />
              </Cell>
              <Cell className="text-muted max-sm:hidden">{dayOf(expiresAfter)}</Cell>
              <Cell className="text-right whitespace-nowrap text-muted">
                {status === 'pending' && (
                  <Button
                    size="sm"
                    className="mr-2"
                    aria-describedby={`invited-${inviteId}`}
                    disabled={resend.isPending || ticket.sendEmailCount >= LIMITS.mailsPerInviteMax}
                    onClick={() => resend.mutate(ticket)}
                  >
                    Resend
                  </Button>
                )}
                {status === 'pending' ? (
                  <Button
                    size="sm"
                    aria-describedby={`invited-${inviteId}`}
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(inviteId)}
                  >
                    Remove
                  </Button>
                ) : (
                  status
                )}
              </Cell>
            </TableRow>
          );
        })}
      </TableBody>
    </Table>
  );
}
