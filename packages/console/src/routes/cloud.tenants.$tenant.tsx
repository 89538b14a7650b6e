import { Outlet, useLocation } from 'react-router';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { KnownTenant } from '../features/tenants/known-tenant.tsx';
import { PageHeader } from '../ui/pages/page.tsx';
import { Tabs } from '../ui/pages/tabs.tsx';

/** /fp/cloud/tenants/{tenantId}: the tabs of a tenant. */
export function Component() {
  const { pathname } = useLocation();
  return (
    <div className="w-full max-w-6xl">
      <KnownTenant>
        {(tenant) => {
          const base = `/fp/cloud/tenants/${tenant.tenantId}`;
          const tabs = [
            { to: `${base}/overview`, text: 'Overview' },
            { to: `${base}/members`, text: 'Members' },
            { to: `${base}/admin`, text: 'Settings' },
          ];
          const crumbs = tabs.flatMap(({ to, text }) => (to === pathname ? [{ text }] : []));
          return (
            <>
              <title>{`${tenantLabel(tenant)} · Fixpoint`}</title>
              <PageHeader
                title={tenantLabel(tenant)}
                crumbs={crumbs}
                tabs={<Tabs label="Tenant pages" tabs={tabs} />}
              />
              <Outlet key={tenant.tenantId} context={tenant} />
            </>
          );
        }}
      </KnownTenant>
    </div>
  );
}
