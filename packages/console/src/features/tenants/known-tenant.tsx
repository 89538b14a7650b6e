import type { UserTenant } from '@fixpoint/protocol/admin';
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { QueryView } from '../../cloud/queries/query-view.tsx';
import { useTenants } from '../../cloud/queries/use-cloud.ts';
import { LinkButton } from '../../ui/button.tsx';
import { NotFound } from '../../ui/pages/feedback.tsx';

/** Renders the page of the tenant in the address, or "not found" when the user isn't a member. */
export function KnownTenant({ children }: { children: (tenant: UserTenant) => ReactNode }) {
  const { tenantId } = useParams();
  return (
    <QueryView query={useTenants()}>
      {(tenants) => {
        const tenant = tenants.find((one) => one.tenantId === tenantId);
        return tenant === undefined ? <TenantNotFound /> : children(tenant);
      }}
    </QueryView>
  );
}

function TenantNotFound() {
  return (
    <>
      <title>Not found · Fixpoint</title>
      <NotFound text="You aren’t a member of this tenant, or it was deleted.">
        <LinkButton to="/fp/cloud">Cloud home</LinkButton>
      </NotFound>
    </>
  );
}
