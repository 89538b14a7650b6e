import type { UserTenant } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { useApp } from '../../cloud/app.ts';
import { usageQuery } from '../../cloud/queries/queries.ts';
import { useInvites, useLedgers } from '../../cloud/queries/use-cloud.ts';
import { Card } from '../../ui/pages/page.tsx';
import { bytesText } from '../../values/bytes-text.ts';

/** Shows how much of its limits a tenant uses, to its admins. */
export function LimitsCard({ tenant: { tenantId, tenant, members = [] } }: { tenant: UserTenant }) {
  const { limits } = tenant;
  const { data: ledgers } = useLedgers(tenantId);
  const { data: invites } = useInvites(tenantId);
  const { data: usage } = useQuery(usageQuery(useApp().api, tenantId));
  const admins = members.filter(({ role }) => role === 'admin').length;
  const pending = invites?.filter(({ status }) => status === 'pending').length;
  return (
    <Card title="Limits" actions={<span className="pr-1.5 text-xs text-ink-3">Set by the operator</span>}>
      <dl className="-m-3.5 divide-y divide-line">
        <Limit name="Databases" used={ledgers?.length} most={limits?.maxLedgers} />
        <Limit name="Admins" used={admins} most={limits?.maxAdminUsers} />
        <Limit name="Members" used={members.length - admins} most={limits?.maxMemberUsers} />
        <Limit name="Pending invites" used={pending} most={limits?.maxInvites} />
        <Limit name="Storage" used={usage?.bytes} most={usage?.maxBytes} textOf={bytesText} />
      </dl>
    </Card>
  );
}

interface LimitProps {
  readonly name: string;
  /** Undefined until it is known. */
  readonly used: number | undefined;
  /** Undefined without a limit. */
  readonly most: number | undefined;
  readonly textOf?: (count: number) => string;
}

function Limit({ name, used, most, textOf = String }: LimitProps) {
  const isFull = used !== undefined && most !== undefined && used >= most;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-baseline gap-x-2 px-3.5 py-2">
      <dt>{name}</dt>
      <dd className={`tabular-nums ${isFull ? 'text-conflict' : 'text-ink-3'}`}>
        <span className={`font-medium ${isFull ? '' : 'text-ink'}`}>
          {used === undefined ? '…' : textOf(used)}
        </span>
        {most !== undefined && ` of ${textOf(most)}`}
        {isFull && ', full'}
      </dd>
      {most !== undefined && (
        <dd
          aria-hidden
          className="col-span-2 mt-1.5 h-1 overflow-hidden rounded-full bg-pressed forced-color-adjust-none forced-colors:border forced-colors:border-[CanvasText] forced-colors:bg-[Canvas]"
        >
          <div
            className={`h-full rounded-full forced-colors:bg-[CanvasText] ${isFull ? 'bg-conflict' : 'bg-accent'}`}
            style={{ width: `${Math.min(100, (100 * (used ?? 0)) / Math.max(1, most))}%` }}
          />
        </dd>
      )}
    </div>
  );
}
