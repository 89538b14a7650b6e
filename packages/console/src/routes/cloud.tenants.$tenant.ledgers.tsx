import { Database } from 'lucide-react';
import { useLedgers } from '../cloud/queries/use-cloud.ts';
import { LedgerList } from '../features/ledgers/ledger-list.tsx';
import { KnownTenant } from '../features/tenants/known-tenant.tsx';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState, ErrorPanel, Skeleton } from '../ui/pages/feedback.tsx';
import { PageHeader } from '../ui/pages/page.tsx';
import { failureText } from '../ui/text/failure-text.ts';

const LEAD = 'Select a database from the sidebar or create a new one.';

/** /fp/cloud/tenants/{tenantId}/ledgers */
export function Component() {
  return (
    <KnownTenant>
      {({ tenantId, role }) => (
        <div className="max-w-6xl">
          <title>Databases · Fixpoint</title>
          <Databases tenantId={tenantId} isAdmin={role === 'admin'} />
        </div>
      )}
    </KnownTenant>
  );
}

function Databases({ tenantId, isAdmin }: { tenantId: string; isAdmin: boolean }) {
  const { data: ledgers, isError, error } = useLedgers(tenantId);
  const create = isAdmin && (
    <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/new`} tone="primary">
      New Database
    </LinkButton>
  );
  if (ledgers !== undefined && ledgers.length > 0)
    return (
      <>
        <PageHeader title="Databases" lead={LEAD}>
          {create}
        </PageHeader>
        <LedgerList tenantId={tenantId} ledgers={ledgers} />
      </>
    );
  return (
    <>
      <PageHeader title="Databases" />
      {isError && <ErrorPanel message={failureText(error)} />}
      {ledgers === undefined && !isError ? (
        <Skeleton shape="rows" />
      ) : (
        <EmptyState icon={<Database size={20} />} text={LEAD}>
          {create}
        </EmptyState>
      )}
    </>
  );
}
