import type { Invite } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { ledgerQueries, ownInvitesQuery, tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { ErrorPanel } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { Row, RowList } from '../../ui/row-list.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { dayOf } from '../../ui/text/moment.ts';

/** Lists the user's pending invitations; renders nothing when there are none. */
export function OwnInvites() {
  // A user who opens the page again may expect an invitation that was sent a moment ago.
  const query = { ...ownInvitesQuery(useApp().api), refetchOnMount: 'always' } as const;
  const { data: invites = [], error } = useQuery(query);
  if (error !== null) return <ErrorPanel message={`Couldn’t load your invitations. ${failureText(error)}`} />;
  if (invites.length === 0) return null;
  return (
    <Card
      title="You are invited"
      lead="Accept only invitations that you expected. To undo a rejection, ask for a new invitation."
    >
      <RowList label="Invitations to you">
        {invites.map((invite) => (
          <InviteRow key={invite.inviteId} invite={invite} />
        ))}
      </RowList>
    </Card>
  );
}

function InviteRow({
  invite: { inviteId, place = inviteId, inviter, invitedParams, expiresAfter },
}: {
  invite: Invite;
}) {
  const { api } = useApp();
  const toast = useToast();
  const changes = [ownInvitesQuery(api).queryKey, tenantQueries.list(api).queryKey, ledgerQueries.all];
  const accept = useCall({
    call: () => api.redeemInvite(inviteId),
    changes,
    onDone: ([taken]) =>
      taken === undefined
        ? toast(`Couldn’t join ${place}: it’s full. Ask the person who invited you to free a place.`, {
            tone: 'error',
          })
        : toast(`You joined ${place}.`),
    onFresh: async ([taken], visit) => {
      const tenant = taken?.invitedParams.tenant?.id;
      if (taken !== undefined)
        await visit.leadTo(tenant === undefined ? '/fp/cloud' : `/fp/cloud/tenants/${tenant}/overview`);
    },
  });
  const reject = useCall({
    call: () => api.rejectInvite(inviteId),
    changes,
    onDone: () => toast(`Invitation to ${place} rejected.`),
  });
  const busy = accept.isPending || reject.isPending;
  return (
    <Row
      name={place}
      detail={`${inviter === undefined ? 'You are invited to be' : `${inviter} invites you to be`} ${giftOf(invitedParams)}; valid until ${dayOf(expiresAfter)}`}
    >
      <Button
        tone="primary"
        aria-label={`Accept ${place}`}
        disabled={busy}
        onClick={() => accept.mutate(undefined)}
      >
        Accept
      </Button>
      <Button aria-label={`Reject ${place}`} disabled={busy} onClick={() => reject.mutate(undefined)}>
        Reject
      </Button>
    </Row>
  );
}

function giftOf({ tenant, ledger }: Invite['invitedParams']): string {
  if (tenant !== undefined)
    return tenant.role === 'admin' ? 'an admin of the tenant' : 'a member of the tenant';
  return ledger?.right === 'write' ? 'a writer of this database' : 'a reader of this database';
}
