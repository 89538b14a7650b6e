import { Outlet } from 'react-router';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { KnownTenant } from '../features/tenants/known-tenant.tsx';
import { PageHeader } from '../ui/pages/page.tsx';
import { Tabs } from '../ui/pages/tabs.tsx';

/** /fp/cloud/tenants/{tenantId}: the tabs of a tenant. */
export function Component() {
  return (
    <div className="w-full max-w-6xl">
      <KnownTenant>
        {(tenant) => {
          const base = `/fp/cloud/tenants/${tenant.tenantId}`;
          return (
            <>
              <title>{`${tenantLabel(tenant)} · Fixpoint`}</title>
              <PageHeader
                title={tenantLabel(tenant)}
                tabs={
                  <Tabs
                    label="Tenant pages"
                    tabs={[
                      { to: `${base}/overview`, text: 'Overview' },
                      { to: `${base}/members`, text: 'Members' },
                      { to: `${base}/admin`, text: 'Settings' },
                    ]}
                  />
                }
              />
              <Outlet key={tenant.tenantId} context={tenant} />
            </>
          );
        }}
      </KnownTenant>
    </div>
  );
}
