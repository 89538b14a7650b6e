import { LIMITS } from '@fixpoint/protocol';
import type { Member } from '@fixpoint/protocol/admin';
import { useCloudUser } from '../../cloud/use-cloud.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow } from '../../ui/table.tsx';

/** Who belongs to a tenant. */
export function MembersTable({ members }: { members: readonly Member[] }) {
  const ownId = useCloudUser()?.userId;
  const admins = members.filter(({ role }) => role === 'admin').length;
  return (
    <section aria-labelledby="members">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-2">
        <h2 id="members" className="font-semibold">
          Members
        </h2>
        <p className="text-xs text-muted">
          {admins} of {LIMITS.adminUsersPerTenantMax} admins, {members.length - admins} of{' '}
          {LIMITS.memberUsersPerTenantMax} members
        </p>
      </div>
      <Table label="Members">
        <TableHead>
          <HeadCell>Person</HeadCell>
          <HeadCell className="w-28">Role</HeadCell>
        </TableHead>
        <TableBody>
          {members.map(({ userId, name, email, role }) => (
            <TableRow key={userId}>
              <Cell>
                <div className="flex min-w-0 items-center gap-3">
                  <Avatar name={name ?? email ?? userId} />
                  <span className="min-w-0 truncate" title={email ?? userId}>
                    {email ?? userId}
                    {name !== undefined && <span className="text-muted"> ({name})</span>}
                  </span>
                  {userId === ownId && <Badge>You</Badge>}
                </div>
              </Cell>
              <Cell>
                <Badge tone={role === 'admin' ? 'accent' : 'plain'}>{role}</Badge>
              </Cell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </section>
  );
}
