import { Database } from 'lucide-react';
import { KnownTenant } from '../features/tenants/known-tenant.tsx';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/feedback.tsx';
import { PageHeader } from '../ui/page.tsx';

/** /fp/cloud/tenants/{tenantId}/ledgers */
export function Component() {
  return (
    <KnownTenant>
      {({ tenantId }) => (
        <div className="max-w-4xl">
          <title>Databases · Fixpoint</title>
          <PageHeader title="Databases" />
          <EmptyState
            icon={<Database size={20} />}
            text="Select a database from the sidebar or create a new one."
          >
            <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/new`} tone="primary">
              New Database
            </LinkButton>
          </EmptyState>
        </div>
      )}
    </KnownTenant>
  );
}
