import { redirect } from 'react-router';
import { queryClient, tenantsQuery, userQuery } from '../cloud/queries.ts';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState, PageHeader } from '../ui/feedback.tsx';

/** Leads to the first tenant, when there is one. */
export async function loader() {
  // Loaders run side by side: the user has to be known before tenants can be listed.
  await queryClient.ensureQueryData(userQuery).catch(() => undefined);
  const tenants = await queryClient.ensureQueryData(tenantsQuery).catch(() => []);
  const [first] = tenants;
  return first === undefined ? null : redirect(`/fp/cloud/tenants/${first.tenantId}/overview`);
}

/** /fp/cloud */
export function Component() {
  return (
    <>
      <title>Cloud · Fixpoint</title>
      <PageHeader title="Welcome to Fixpoint" />
      <p className="mb-6 text-muted">Here is the cloud</p>
      <EmptyState text="A tenant holds databases and the people who share them. Create one to begin.">
        <LinkButton to="/fp/cloud/tenants/new" tone="primary">
          Create a tenant
        </LinkButton>
      </EmptyState>
    </>
  );
}
