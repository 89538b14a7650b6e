import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { PageHeader } from '../../ui/pages/page.tsx';
import { Row, RowList } from '../../ui/row-list.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { PagedList } from './list-parts.tsx';
import { OPERATOR_KEY, serverQuery, usersQuery } from './operator-queries.ts';
import { SIGN_UP } from './server-figures.tsx';

/** /fp/cloud/operator/waitlist: shows the sign-up mode, and approves people who wait. */
export function WaitlistPage() {
  const { api } = useApp();
  const toast = useToast();
  const { data: server } = useQuery(serverQuery(api));
  const query = useInfiniteQuery(usersQuery(api, '', 'waiting'));
  const approve = useCall({
    call: (userIds: string[]) => api.approveWaiting(userIds),
    changes: [OPERATOR_KEY],
    onDone: ({ userIds }) =>
      toast(userIds.length === 1 ? 'Approved, and notified by mail.' : `Approved ${userIds.length} people.`),
  });
  const shown = query.data?.pages.flatMap(({ users }) => users) ?? [];
  return (
    <>
      <PageHeader
        title="Waitlist"
        lead={
          server &&
          `Sign-up is set to ${SIGN_UP[server.signUp].name.toLowerCase()}: ${SIGN_UP[server.signUp].what}. The setting SIGNUP of the server decides this.`
        }
      >
        {shown.length > 1 && (
          <Button
            disabled={approve.isPending}
            onClick={() => approve.mutate(shown.map(({ userId }) => userId))}
          >
            Approve all {shown.length}
          </Button>
        )}
      </PageHeader>
      <PagedList
        query={query}
        empty="Nobody is waiting."
        isEmpty={(pages) => pages.every(({ users }) => users.length === 0)}
      >
        {() => (
          <RowList label="Waitlist">
            {shown.map(({ userId, email, createdAt }) => (
              <Row key={userId} name={email ?? userId} detail={`Since ${dayOf(createdAt)}`}>
                <Button tone="primary" disabled={approve.isPending} onClick={() => approve.mutate([userId])}>
                  Approve<span className="sr-only"> {email ?? userId}</span>
                </Button>
              </Row>
            ))}
          </RowList>
        )}
      </PagedList>
    </>
  );
}
