import { Outlet, useParams } from 'react-router';
import { QueryView } from '../cloud/query-view.tsx';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { useTenants } from '../cloud/use-cloud.ts';
import { LinkButton } from '../ui/button.tsx';
import { NotFound } from '../ui/feedback.tsx';
import { PageHeader } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';

/** /fp/cloud/tenants/{tenantId}: the tabs of a tenant. */
export function Component() {
  const { tenantId } = useParams();
  const base = `/fp/cloud/tenants/${tenantId}`;
  return (
    <div className="max-w-4xl">
      <QueryView query={useTenants()}>
        {(tenants) => {
          const tenant = tenants.find((one) => one.tenantId === tenantId);
          if (tenant === undefined) return <TenantNotFound />;
          return (
            <>
              <title>{`${tenantLabel(tenant)} · Fixpoint`}</title>
              <PageHeader title={tenantLabel(tenant)} />
              <Tabs
                label="Tenant pages"
                tabs={[
                  { to: `${base}/overview`, text: 'Overview' },
                  { to: `${base}/members`, text: 'Members' },
                  { to: `${base}/admin`, text: 'Settings' },
                ]}
              />
              <Outlet key={tenantId} context={tenant} />
            </>
          );
        }}
      </QueryView>
    </div>
  );
}

function TenantNotFound() {
  return (
    <>
      <title>Not found · Fixpoint</title>
      <NotFound text="You are in no tenant with this address. It was deleted, or you were never invited to it.">
        <LinkButton to="/fp/cloud">Cloud home</LinkButton>
      </NotFound>
    </>
  );
}
