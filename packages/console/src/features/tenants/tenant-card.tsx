import type { UserTenant } from '@fixpoint/protocol/admin';
import type { ReactNode } from 'react';
import { Card } from '../../ui/pages/page.tsx';
import { CopyButton } from '../../ui/text/copy-button.tsx';

/** Shows what identifies a tenant, and who owns it. */
export function TenantCard({ tenant: { tenantId, tenant, role, members = [] } }: { tenant: UserTenant }) {
  const owner = members.find(({ userId }) => userId === tenant.ownerUserId);
  return (
    <Card title="Tenant">
      <dl className="grid grid-cols-[5.25rem_minmax(0,1fr)] items-center gap-x-2 gap-y-1.5">
        <Fact name="Tenant id">
          <code className="font-mono text-xs">{tenantId}</code>{' '}
          <CopyButton text={tenantId} label="Copy tenant id" tone="quiet" size="sm" isShort="always" />
        </Fact>
        <Fact name="Server">{location.host}</Fact>
        {owner !== undefined && <Fact name="Owner">{owner.email ?? owner.name ?? owner.userId}</Fact>}
        <Fact name="Your role">{role}</Fact>
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="col-span-2 grid grid-cols-subgrid items-center">
      <dt className="text-ink-3">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}
