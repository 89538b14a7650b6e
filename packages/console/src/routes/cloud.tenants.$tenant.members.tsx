import type { FoundUser, Query, UserTenant } from '@fixpoint/protocol/admin';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useOutletContext } from 'react-router';
import { admin, ask, invitesQuery, messageOf, tenantsQuery } from '../cloud/queries.ts';
import { Button } from '../ui/button.tsx';
import { Card, ErrorPanel, Skeleton } from '../ui/feedback.tsx';
import { TextField } from '../ui/form.tsx';
import { useToast } from '../ui/toaster.tsx';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** /fp/cloud/tenants/{tenantId}/members */
export function Component() {
  const tenant = useOutletContext<UserTenant>();
  if (tenant.role !== 'admin')
    return (
      <Card title="Members">
        <p className="text-muted">You need admin privileges to manage members.</p>
      </Card>
    );
  return (
    <div className="flex flex-col gap-5">
      <Card title="Members">
        <ul className="divide-y divide-line">
          {tenant.members?.map(({ userId, email, role }) => (
            <li key={userId} className="flex justify-between gap-3 py-2">
              <span className="truncate">{email ?? userId}</span>
              <span className="text-muted">{role}</span>
            </li>
          ))}
        </ul>
      </Card>
      <Invite tenantId={tenant.tenantId} />
      <Invites tenantId={tenant.tenantId} />
    </div>
  );
}

function Invite({ tenantId }: { tenantId: string }) {
  const [text, setText] = useState('');
  const queries = useQueryClient();
  const toast = useToast();
  const isEmail = EMAIL.test(text.trim());
  const found = useQuery({
    queryKey: ['find-user', text.trim()],
    queryFn: () => ask('reqFindUser', { query: { byString: text.trim() } }),
    enabled: isEmail,
  });
  const invite = async (query: Query) => {
    const sent = await admin.call('reqInviteUser', {
      ticket: { query, invitedParams: { tenant: { id: tenantId, role: 'admin' } } },
    });
    if (!sent.ok) return toast(messageOf(sent.error), { tone: 'error' });
    setText('');
    toast('Invited. The invitation is redeemed at the next sign-in.');
    await Promise.all([
      queries.invalidateQueries(invitesQuery(tenantId)),
      queries.invalidateQueries(tenantsQuery),
    ]);
  };
  return (
    <Card title="Invite">
      <TextField
        label="Email"
        type="email"
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
      />
      {isEmail && (
        <div className="mt-3 rounded-md border border-line p-3" aria-live="polite">
          {found.isPending && <Skeleton />}
          {found.isError && <ErrorPanel message={messageOf(found.error)} />}
          {found.data?.results.map((user) => (
            <Found
              key={user.userId}
              user={user}
              onInvite={() => void invite({ existingUserId: user.userId })}
            />
          ))}
          {found.data?.results.length === 0 && (
            <div className="flex flex-wrap items-center justify-between gap-3">
              <span>{text.trim()} has no account here yet.</span>
              <Button tone="primary" onClick={() => void invite({ byEmail: text.trim() })}>
                Invite by email
              </Button>
            </div>
          )}
        </div>
      )}
    </Card>
  );
}

function Found({ user, onInvite }: { user: FoundUser; onInvite: () => void }) {
  const [provider] = user.byProviders;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3">
      <span className="truncate">
        {provider?.cleanEmail ?? user.userId} <span className="text-muted">({provider?.queryProvider})</span>
      </span>
      <Button tone="primary" onClick={onInvite}>
        Invite
      </Button>
    </div>
  );
}

function Invites({ tenantId }: { tenantId: string }) {
  const queries = useQueryClient();
  const toast = useToast();
  const invites = useQuery(invitesQuery(tenantId));
  const remove = async (inviteId: string) => {
    const removed = await admin.call('reqDeleteInvite', { inviteId });
    if (!removed.ok) return toast(messageOf(removed.error), { tone: 'error' });
    await queries.invalidateQueries(invitesQuery(tenantId));
  };
  return (
    <Card title="Invitations">
      {invites.isPending && <Skeleton />}
      {invites.isError && <ErrorPanel message={messageOf(invites.error)} />}
      {invites.data?.length === 0 && <p className="text-muted">Nobody is invited.</p>}
      <ul className="divide-y divide-line">
        {invites.data?.map(({ inviteId, query, invitedUserId, status }) => (
          <li key={inviteId} className="flex items-center justify-between gap-3 py-2">
            <span className="truncate">{query.byEmail ?? invitedUserId}</span>
            {status === 'pending' ? (
              <Button onClick={() => void remove(inviteId)}>Remove</Button>
            ) : (
              <span className="text-muted">{status}</span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
