import type { Invite, Right, Share } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { inviteQueries, shareQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { untilStored } from '../../leaving/ask-before-leaving.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { PeopleSection, PersonList, PersonRow } from '../members/person-row.tsx';
import { type Shares, sharesTaken } from './plan-share.ts';
import { RIGHT_TEXT, RightSelect } from './right-select.tsx';

/** Lists the people a ledger is shared with, and its invites. */
export function SharesList({ tenantId, given }: { tenantId: string; given: Shares }) {
  const { shares, tickets, maxShares } = given;
  return (
    <PeopleSection title="Shared with" used={`${sharesTaken(given)} of ${maxShares} shares`}>
      {shares.length + tickets.length === 0 ? (
        <p className="rounded-lg border border-dashed border-line-strong px-4 py-6 text-center text-sm text-ink-3">
          Not shared with anybody yet.
        </p>
      ) : (
        <PersonList label="Shared with">
          {shares.map((share) => (
            <Shared key={share.userId} share={share} tenantId={tenantId} ledgerId={given.ledgerId} />
          ))}
          {tickets.map((ticket) => (
            <Invited key={ticket.inviteId} ticket={ticket} tenantId={tenantId} ledgerId={given.ledgerId} />
          ))}
        </PersonList>
      )}
      <p className="mt-2 max-w-prose text-xs text-ink-3">
        Admins of the tenant always have access. Members who aren’t listed can read and write, unless their
        access was revoked here.
      </p>
    </PeopleSection>
  );
}

interface Place {
  readonly tenantId: string;
  readonly ledgerId: string;
}

function Shared({ share, tenantId, ledgerId }: Place & { share: Share }) {
  const { userId, role, right } = share;
  const who = share.email ?? userId;
  const { api } = useApp();
  const toast = useToast();
  const [asking, setAsking] = useState(false);
  const ledger = { ledgerId, tenantId };
  const changes = [shareQueries.list(api, tenantId, ledgerId).queryKey, tenantQueries.list(api).queryKey];
  const change = useCall({
    call: (wanted: Right) => untilStored(api.shareLedger({ ledger, userId, right: wanted })),
    changes,
  });
  const revoke = useCall({
    call: () => api.unshareLedger({ ledger, userId }),
    changes,
    onDone: () => toast(`${who} no longer has access.`),
  });
  return (
    <PersonRow who={who} name={share.name} badge={<Badge>{role}</Badge>}>
      <RightSelect
        label={`Right of ${who}`}
        value={(change.isPending ? change.variables : undefined) ?? right}
        disabled={change.isPending}
        onChange={(wanted) => change.mutate(wanted)}
      />
      <Button aria-label={`Revoke the access of ${who}`} onClick={() => setAsking(true)}>
        Revoke
      </Button>
      {asking && (
        <ConfirmDialog
          title="Revoke access?"
          action="Revoke access"
          busy={revoke.isPending}
          onClose={() => setAsking(false)}
          onConfirm={() => revoke.mutate(undefined, { onSettled: () => setAsking(false) })}
        >
          {who} can no longer read or write this database. Copies on their devices stay there.
        </ConfirmDialog>
      )}
    </PersonRow>
  );
}

function Invited({ ticket, tenantId, ledgerId }: Place & { ticket: Invite }) {
  const { inviteId, query, invitee, invitedUserId, status, invitedParams } = ticket;
  const who = query.byEmail ?? invitee ?? invitedUserId ?? inviteId;
  const { api } = useApp();
  const remove = useCall({
    call: () => api.deleteInvite(inviteId),
    changes: [
      shareQueries.list(api, tenantId, ledgerId).queryKey,
      inviteQueries.list(api, tenantId).queryKey,
    ],
  });
  return (
    <PersonRow who={who} badge={<Badge>{status === 'pending' ? 'invited' : status}</Badge>}>
      <span className="text-ink-3">{RIGHT_TEXT[invitedParams.ledger?.right ?? 'read']}</span>
      <Button
        disabled={remove.isPending}
        aria-label={`Remove the invitation for ${who}`}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
    </PersonRow>
  );
}
