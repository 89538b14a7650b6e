import type { Application, ListedApplicationUser } from '@fixpoint/protocol/admin';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { applicationsQuery, applicationUsersQuery } from '../../cloud/queries/queries.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';
import { ErrorPanel, Skeleton } from '../../ui/pages/feedback.tsx';
import { Card } from '../../ui/pages/page.tsx';
import { NoRows, RowList } from '../../ui/row-list.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { OwnUserRow } from './own-user-row.tsx';

/** How long to wait for more typing before the server searches. */
const TYPING_MS = 300;

/**
 * Lists the users whom the tenant's apps sign in themselves, for admins. Shows nothing while the
 * tenant has no apps.
 */
export function OwnUsersCard({ tenantId }: { tenantId: string }) {
  const { api } = useApp();
  const { data: applications = [] } = useQuery(applicationsQuery(api, tenantId));
  const [typed, setTyped] = useState('');
  const search = useSlowly(typed.trim(), TYPING_MS);
  const users = useInfiniteQuery({
    ...applicationUsersQuery(api, tenantId, search),
    // The list stays while the server searches, so that the page doesn't jump.
    placeholderData: keepPreviousData,
  });
  if (applications.length === 0) return null;
  const found = users.data?.pages.flatMap((page) => page.users);
  const hasSearch = search !== '' || (found?.length ?? 0) > 0;
  return (
    <Card
      title="Users of applications"
      lead="People whom your apps sign in themselves. They have access only to databases that an app opens for them, and can’t use this console."
    >
      <div className="flex flex-col gap-3">
        {hasSearch && (
          <TextField
            type="search"
            label="Search users"
            value={typed}
            placeholder="Name, email or id in your app"
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        )}
        {found === undefined && users.isPending && <Skeleton />}
        {found !== undefined && <Found {...{ tenantId, applications, found, search }} />}
        {users.isError && (
          <ErrorPanel message={failureText(users.error)}>
            <Button
              onClick={() => void (users.isFetchNextPageError ? users.fetchNextPage() : users.refetch())}
            >
              Try again
            </Button>
          </ErrorPanel>
        )}
        {users.hasNextPage && !users.isError && (
          <Button
            className="self-start"
            disabled={users.isFetchingNextPage}
            onClick={() => void users.fetchNextPage()}
          >
            Show more users
          </Button>
        )}
      </div>
    </Card>
  );
}

interface FoundProps {
  readonly tenantId: string;
  readonly applications: readonly Application[];
  readonly found: readonly ListedApplicationUser[];
  readonly search: string;
}

function Found({ tenantId, applications, found, search }: FoundProps) {
  if (found.length > 0)
    return (
      <RowList label="Users of applications">
        {found.map((user) => (
          <OwnUserRow
            key={user.userId}
            tenantId={tenantId}
            user={user}
            // One app needs no name.
            app={applications.length > 1 ? nameOf(applications, user.applicationId) : undefined}
          />
        ))}
      </RowList>
    );
  return (
    <NoRows>
      {search === ''
        ? 'No users yet. They appear here once an app signs them in with its own tokens, or its back end adds them.'
        : `No user matches “${search}”.`}
    </NoRows>
  );
}

const nameOf = (applications: readonly Application[], id: string) =>
  applications.find(({ applicationId }) => applicationId === id)?.name ?? id;

/** Returns a value once it has stayed the same for a while. */
function useSlowly<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
