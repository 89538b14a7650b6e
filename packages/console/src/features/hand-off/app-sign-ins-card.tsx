import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { applicationGrantsQuery } from '../../cloud/queries/queries.ts';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { useCall } from '../../cloud/queries/use-call.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, Row, RowList } from '../../ui/row-list.tsx';
import { dayOf } from '../../ui/text/moment.ts';

/** Lists the apps that the user allowed to sign them in. */
export function AppSignInsCard() {
  const { api } = useApp();
  const query = useQuery(applicationGrantsQuery(api));
  const revoke = useCall({
    call: (applicationId: string) => api.revokeApplicationGrant(applicationId),
    changes: [applicationGrantsQuery(api).queryKey],
  });
  return (
    <Card
      title="Apps you sign in to"
      lead="These apps can sign you in without asking you again, in every browser."
    >
      <QueryView query={query}>
        {(grants) =>
          grants.length === 0 ? (
            <NoRows>You haven’t signed in to an app yet.</NoRows>
          ) : (
            <RowList label="Apps you sign in to">
              {grants.map(({ applicationId, name, origins, createdAt }) => (
                <Row
                  key={applicationId}
                  name={name}
                  detail={`${origins.join(', ')}, since ${dayOf(createdAt)}`}
                >
                  <Button
                    aria-label={`Sign out of ${name}`}
                    disabled={revoke.isPending}
                    onClick={() => revoke.mutate(applicationId)}
                  >
                    Sign out
                  </Button>
                </Row>
              ))}
            </RowList>
          )
        }
      </QueryView>
    </Card>
  );
}
