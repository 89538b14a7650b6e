import type { Invite, Member, Right, Share } from '@fixpoint/protocol/admin';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { inviteQueries, shareQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';
import { untilStored } from '../../leaving/ask-before-leaving.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { PersonName, type PersonRowProps } from '../members/person-row.tsx';
import { type Shares, sharesTaken } from './plan-share.ts';
import { RIGHT_TEXT, RightSelect } from './right-select.tsx';

export interface SharesListProps {
  readonly tenantId: string;
  /** The members of the tenant. */
  readonly members?: readonly Member[];
  readonly given: Shares;
}

/** Lists the people who have access to a ledger, and its invites. */
export function SharesList({ tenantId, members = [], given }: SharesListProps) {
  const { shares, tickets, maxShares } = given;
  const admins = members.filter(({ role }) => role === 'admin');
  return (
    <Card title="People" beside={`${sharesTaken(given)} of ${maxShares} shares`}>
      <div className="-m-3.5 divide-y divide-line">
        {admins.length > 0 && <Admins admins={admins} />}
        {shares.length + tickets.length === 0 ? (
          <p className="px-3.5 py-3 text-ink-3">Not shared with anybody yet.</p>
        ) : (
          <ul aria-label="Shared with" className="divide-y divide-line">
            {shares.map((share) => (
              <Shared key={share.userId} share={share} tenantId={tenantId} ledgerId={given.ledgerId} />
            ))}
            {tickets.map((ticket) => (
              <Invited key={ticket.inviteId} ticket={ticket} tenantId={tenantId} ledgerId={given.ledgerId} />
            ))}
          </ul>
        )}
        <p className="px-3.5 py-2.5 text-xs text-ink-3">
          Admins of the tenant always have access. Members who aren’t listed can read and write, unless their
          access was revoked here.
        </p>
      </div>
    </Card>
  );
}

/** Lists the admins of the tenant, whose access can't be changed here. */
function Admins({ admins }: { admins: readonly Member[] }) {
  const ownId = useCloudUser()?.userId;
  return (
    <ul aria-label="Admins of the tenant" className="divide-y divide-line">
      {admins.map(({ userId, email, name, role }) => (
        <Person
          key={userId}
          who={email ?? userId}
          name={name}
          badge={
            <>
              <Badge>{role}</Badge>
              {userId === ownId && <Badge tone="accent">You</Badge>}
            </>
          }
        >
          <span className="text-ink-3">{RIGHT_TEXT.write}</span>
        </Person>
      ))}
    </ul>
  );
}

/** Renders a person with a right. The row wraps on small screens. */
function Person({ children, ...person }: PersonRowProps) {
  return (
    <li className="flex min-h-11 flex-wrap items-center justify-between gap-x-4 gap-y-2 px-3.5 py-1.5">
      <PersonName {...person} />
      <span className="flex flex-wrap items-center gap-2">{children}</span>
    </li>
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
    <Person who={who} name={share.name} badge={<Badge>{role}</Badge>}>
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
    </Person>
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
    <Person who={who} badge={<Badge>{status === 'pending' ? 'invited' : status}</Badge>}>
      <span className="text-ink-3">{RIGHT_TEXT[invitedParams.ledger?.right ?? 'read']}</span>
      <Button
        disabled={remove.isPending}
        aria-label={`Remove the invitation for ${who}`}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
    </Person>
  );
}
