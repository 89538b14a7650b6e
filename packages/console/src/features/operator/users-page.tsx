import type { ServerUser } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { useCall } from '../../cloud/queries/use-call.ts';
import { useCloudUser } from '../../cloud/queries/use-cloud.ts';
import { Badge, type BadgeTone } from '../../ui/badge.tsx';
import { IconButton } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { useToast } from '../../ui/overlays/toaster.tsx';
import { PageHeader } from '../../ui/pages/page.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { PagedList, SearchField, Table, TwoLines, useSearch } from './list-parts.tsx';
import { OPERATOR_KEY, type ShownStatus, usersQuery } from './operator-queries.ts';

const STATUSES: Record<ServerUser['status'], { readonly text: string; readonly tone: BadgeTone }> = {
  active: { text: 'Active', tone: 'plain' },
  banned: { text: 'Banned', tone: 'danger' },
  waiting: { text: 'On the waitlist', tone: 'decide' },
  inactive: { text: 'Inactive', tone: 'plain' },
};
const SHOWN = [
  { value: '', text: 'All people' },
  { value: 'active', text: 'Active' },
  { value: 'banned', text: 'Banned' },
] as const;

/** /fp/cloud/operator/users: lists the people who sign in at this server, and bans them. */
export function UsersPage() {
  const { typed, setTyped, search } = useSearch();
  const [shown, setShown] = useState<ShownStatus | ''>('');
  const query = useInfiniteQuery(usersQuery(useApp().api, search, shown === '' ? undefined : shown));
  return (
    <>
      <PageHeader title="Users" />
      <div className="mb-3 flex flex-wrap gap-2">
        <SearchField label="Find an address or id" value={typed} onChange={setTyped} />
        <Select
          label="Status"
          value={shown}
          onChange={({ target }) => setShown(target.value as ShownStatus | '')}
        >
          {SHOWN.map(({ value, text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </Select>
      </div>
      <PagedList
        query={query}
        empty="Nobody matches."
        isEmpty={(pages) => pages.every(({ users }) => users.length === 0)}
      >
        {(pages) => (
          <Table
            label="Users"
            head={
              <>
                <th scope="col">address</th>
                <th scope="col">status</th>
                <th scope="col" className="text-right max-md:hidden">
                  own tenants
                </th>
                <th scope="col" className="text-right max-md:hidden">
                  signed in
                </th>
                <th scope="col">
                  <span className="sr-only">Actions</span>
                </th>
              </>
            }
          >
            {pages.flatMap(({ users }) => users.map((user) => <UserRow key={user.userId} user={user} />))}
          </Table>
        )}
      </PagedList>
    </>
  );
}

type Action = 'ban' | 'unban' | 'sign-out' | 'reset-factors';

const DONE: Record<Action, string> = {
  ban: 'is banned, and signed out everywhere.',
  unban: 'may sign in again.',
  'sign-out': 'is signed out everywhere.',
  'reset-factors': 'no longer has passkeys or a second factor.',
};

function UserRow({ user }: { user: ServerUser }) {
  const { userId, email, provider, status, operator, ownedTenants, maxTenants, usedAt } = user;
  const { api } = useApp();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const name = email ?? userId;
  const change = useCall({
    call: (action: Action) => api.changeUser(userId, action),
    changes: [OPERATOR_KEY],
    onDone: (_, action) => {
      setAsking(false);
      toast(`${name} ${DONE[action]}`);
    },
  });
  const isSelf = useCloudUser()?.userId === userId;
  const { text, tone } = STATUSES[status];
  return (
    <tr className="hover:bg-hover">
      <td className="max-w-0 min-w-40 max-sm:w-full">
        <TwoLines name={name} detail={provider === 'fixpoint' ? userId : `${userId}, by ${provider}`} />
      </td>
      <td className="whitespace-nowrap">
        <span className="flex flex-wrap gap-1">
          <Badge tone={tone}>{text}</Badge>
          {operator && <Badge tone="accent">Operator</Badge>}
        </span>
      </td>
      <td className="text-right whitespace-nowrap tabular-nums max-md:hidden">
        {ownedTenants}
        <span className="text-ink-3"> / {maxTenants}</span>
      </td>
      <td className="text-right whitespace-nowrap text-ink-3 max-md:hidden">{dayOf(usedAt)}</td>
      <td className="w-10 text-right">
        <Menu
          trigger={
            <IconButton label={`Actions for ${name}`} disabled={change.isPending}>
              <Ellipsis size={16} aria-hidden />
            </IconButton>
          }
        >
          {status === 'banned' && (
            <MenuItem onClick={() => change.mutate('unban')}>Let them sign in</MenuItem>
          )}
          <MenuItem onClick={() => change.mutate('sign-out')}>Sign out everywhere</MenuItem>
          {provider === 'fixpoint' && (
            <MenuItem onClick={() => change.mutate('reset-factors')}>
              Reset passkeys and second factor
            </MenuItem>
          )}
          {status !== 'banned' && !isSelf && <MenuItem onClick={() => setAsking(true)}>Ban...</MenuItem>}
        </Menu>
        {isAsking && (
          <ConfirmDialog
            title={`Ban ${name}?`}
            action="Ban"
            busy={change.isPending}
            onConfirm={() => change.mutate('ban')}
            onClose={() => setAsking(false)}
          >
            They are signed out everywhere, and can’t sign in until an operator lets them. Their tenants and
            databases stay.
          </ConfirmDialog>
        )}
      </td>
    </tr>
  );
}
