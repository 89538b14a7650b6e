import type { AuditRecord, Member } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { auditQuery } from '../../cloud/queries/queries.ts';
import { useInvites, useLedgers } from '../../cloud/queries/use-cloud.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { agoOf, timeOf } from '../../ui/text/moment.ts';
import { describeAction } from './describe-action.ts';

export interface ActivityCardProps {
  readonly tenantId: string;
  readonly members: readonly Member[];
  /** How many records to show, with a link to all of them. Without a number, shows all. */
  readonly latest?: number;
}

/** Shows the audit records of a tenant to admins, newest first. */
export function ActivityCard({ tenantId, members, latest }: ActivityCardProps) {
  const records = useInfiniteQuery(auditQuery(useApp().api, tenantId));
  const { data: ledgers, isPending: areLedgersPending } = useLedgers(tenantId);
  const { data: invites, isPending: areInvitesPending } = useInvites(tenantId);
  // Without their names, the records would show ids.
  const list = areLedgersPending || areInvitesPending ? undefined : records.data;
  const names = new Map<string, string>();
  for (const { invitee, invitedUserId } of invites ?? [])
    if (invitee !== undefined && invitedUserId !== undefined) names.set(invitedUserId, invitee);
  // The whole list identifies people by their addresses, because two may have the same name.
  for (const { userId, email, name } of members)
    names.set(userId, (latest === undefined ? (email ?? name) : (name ?? email)) ?? userId);
  const people = new Map(members.map(({ userId, name, email }) => [userId, name ?? email]));
  for (const { ledgerId, name } of ledgers ?? []) names.set(ledgerId, name);
  const nameOf = (id: string) => names.get(id);
  return (
    <Card
      title="Activity"
      {...(latest === undefined
        ? { lead: 'Shows who changed what in this tenant. Nobody can change these records.' }
        : {
            actions: (
              <LinkButton to={`/fp/cloud/tenants/${tenantId}/admin`} tone="link" size="sm">
                Show all activity
              </LinkButton>
            ),
          })}
    >
      {list === undefined && !records.isError && <Skeleton />}
      {list !== undefined && (
        <ol aria-label="Activity" className={`divide-y divide-line ${latest === undefined ? '' : '-m-3.5'}`}>
          {list.pages
            .flatMap((page) => page.records)
            .slice(0, latest)
            .map((record) => (
              <Done
                key={record.seq}
                {...{ record, nameOf }}
                person={people.get(record.userId)}
                isShort={latest !== undefined}
              />
            ))}
        </ol>
      )}
      {records.isError && (
        <ErrorPanel message={failureText(records.error)}>
          <Button
            onClick={() => void (records.isFetchNextPageError ? records.fetchNextPage() : records.refetch())}
          >
            Try again
          </Button>
        </ErrorPanel>
      )}
      {latest === undefined && records.hasNextPage && !records.isError && (
        <Button
          className="mt-3"
          disabled={records.isFetchingNextPage}
          onClick={() => void records.fetchNextPage()}
        >
          Show older activity
        </Button>
      )}
    </Card>
  );
}

interface DoneProps {
  readonly record: AuditRecord;
  readonly nameOf: (id: string) => string | undefined;
  /** The name of the member who did it, for the picture. */
  readonly person: string | undefined;
  /** Whether to show only how long ago it was. */
  readonly isShort: boolean;
}

function Done({ record, nameOf, person, isShort }: DoneProps) {
  const { at, userId, from } = record;
  const { did, details } = describeAction(record, nameOf);
  return (
    <li
      className={`flex gap-x-4 gap-y-0.5 py-2.5 text-sm ${isShort ? 'gap-x-3 px-3.5' : 'flex-wrap sm:flex-nowrap'}`}
    >
      <Avatar name={person} />
      <span className="min-w-0 grow break-words max-sm:basis-40">
        <span className="font-medium">{nameOf(userId) ?? userId}</span> {did}
        {details.length > 0 && <span className="text-ink-3">: {details.join(', ')}</span>}
      </span>
      <span
        className={`text-xs leading-5 text-ink-3 ${isShort ? 'max-w-24 shrink-0 text-right' : 'sm:shrink-0'}`}
      >
        <time dateTime={at} title={isShort ? timeOf(at) : undefined}>
          {isShort ? agoOf(Date.parse(at), Date.now()) : timeOf(at)}
        </time>
        {from !== undefined && !isShort && ` from ${from}`}
      </span>
    </li>
  );
}
