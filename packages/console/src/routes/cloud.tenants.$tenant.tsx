import { useQuery } from '@tanstack/react-query';
import { Outlet, useParams } from 'react-router';
import { tenantsQuery } from '../cloud/queries.ts';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { NotFound, PageHeader, Skeleton } from '../ui/feedback.tsx';
import { Tabs } from '../ui/tabs.tsx';

/** /fp/cloud/tenants/{tenantId}: the tabs of a tenant. */
export function Component() {
  const { tenantId } = useParams();
  const tenants = useQuery(tenantsQuery);
  if (tenants.isPending) return <Skeleton />;
  const tenant = tenants.data?.find((one) => one.tenantId === tenantId);
  if (tenant === undefined) return <NotFound />;
  const base = `/fp/cloud/tenants/${tenantId}`;
  return (
    <div className="max-w-3xl">
      <title>{`${tenantLabel(tenant)} · Fixpoint`}</title>
      <PageHeader title={tenantLabel(tenant)} />
      <Tabs
        label="Tenant"
        tabs={[
          { to: `${base}/overview`, text: 'Overview' },
          { to: `${base}/members`, text: 'Members' },
          { to: `${base}/admin`, text: 'Settings' },
        ]}
      />
      <Outlet context={tenant} />
    </div>
  );
}
