import { useParams } from 'react-router';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState, PageHeader } from '../ui/feedback.tsx';

/** /fp/cloud/tenants/{tenantId}/ledgers */
export function Component() {
  const { tenantId } = useParams();
  return (
    <>
      <title>Databases · Fixpoint</title>
      <PageHeader title="Databases" />
      <EmptyState text="Select a database from the sidebar or create a new one.">
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/new`} tone="primary">
          New database
        </LinkButton>
      </EmptyState>
    </>
  );
}
