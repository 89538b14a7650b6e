import type { FoundUser, Member, Query } from '@fixpoint/protocol/admin';
import { type ReactNode, useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { inviteQueries, tenantQueries } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { inviteToTenant } from '../../cloud/queries/send-invite.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useFoundUsers } from '../../cloud/queries/use-cloud.ts';
import { useKeptField } from '../../leaving/kept-field.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/form.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { isEmail } from './email.ts';
import { PersonName } from './person-row.tsx';

const SETTLED_MS = 300;

/** Finds a person by address and invites them, always as an admin. */
export function InviteForm({ tenantId, members }: { tenantId: string; members: readonly Member[] }) {
  const [text = '', setText] = useKeptField('invite');
  const { api } = useApp();
  const toast = useToast();
  const typed = text.trim();
  const email = useDebounced(isEmail(typed) ? typed : undefined, SETTLED_MS);
  const found = useFoundUsers(email);
  const invite = useCall({
    call: ({ query }: { query: Query; who: string }) => inviteToTenant(api, tenantId, query),
    changes: [inviteQueries.list(api, tenantId).queryKey, tenantQueries.list(api).queryKey],
    onDone: (_invite, { who }) => {
      toast(`Invitation sent to ${who}.`);
      setText((now) => (now?.trim() === who ? '' : now));
    },
  });
  return (
    <Card title="Invite somebody" lead="People who accept become admins of this tenant.">
      <form className="max-w-md" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Email"
          type="email"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder="name@example.com"
          autoComplete="off"
        />
      </form>
      {email !== undefined && isEmail(typed) && (
        <section
          aria-label="Search results"
          aria-live="polite"
          className="mt-3 rounded-md border border-line px-4 py-3"
        >
          <QueryView query={found}>
            {(users) =>
              users.length > 0 ? (
                <ul className="flex flex-col gap-3">
                  {users.map((user) => (
                    <Person key={user.userId} user={user}>
                      {members.some(({ userId }) => userId === user.userId) ? (
                        <span className="text-ink-3">Already a member</span>
                      ) : (
                        <Button
                          tone="primary"
                          disabled={invite.isPending}
                          onClick={() =>
                            invite.mutate({ query: { existingUserId: user.userId }, who: email })
                          }
                        >
                          Invite
                        </Button>
                      )}
                    </Person>
                  ))}
                </ul>
              ) : (
                <div className="flex flex-wrap items-center justify-between gap-3 text-sm">
                  <span className="min-w-0 break-words">
                    <strong className="font-medium">{email}</strong> has no account here yet.
                  </span>
                  <Button
                    tone="primary"
                    disabled={invite.isPending}
                    onClick={() => invite.mutate({ query: { byEmail: email }, who: email })}
                  >
                    Invite by email
                  </Button>
                </div>
              )
            }
          </QueryView>
        </section>
      )}
    </Card>
  );
}

/** Shows a person with an account. Their name is only known after they accept. */
function Person({ user: { userId, byProviders }, children }: { user: FoundUser; children: ReactNode }) {
  const [provider] = byProviders;
  const isProven = byProviders.some(({ params }) => params.email_verified === true);
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 text-sm">
      <PersonName
        who={provider?.cleanEmail ?? userId}
        badge={!isProven && <Badge title="This person hasn’t verified the address yet.">not verified</Badge>}
      />
      {children}
    </li>
  );
}

/**
 * Returns the value once it is unchanged for `afterMs`, so typing doesn't send one request per
 * letter.
 */
function useDebounced<T>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}
