import { Users } from 'lucide-react';
import { QueryView } from '../cloud/queries/query-view.tsx';
import { useShares, useTenants } from '../cloud/queries/use-cloud.ts';
import { type LedgerContext, useLedger } from '../features/ledgers/ledger-context.ts';
import { ShareForm } from '../features/sharing/share-form.tsx';
import { SharesList } from '../features/sharing/shares-list.tsx';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/pages/feedback.tsx';

/** .../ledgers/{ledgerId}/sharing */
export function Component() {
  const context = useLedger();
  return (
    <>
      <title>{`Sharing · ${context.name} · Fixpoint`}</title>
      <QueryView query={useTenants()}>
        {(tenants) => {
          const tenant = tenants.find(({ tenantId }) => tenantId === context.tenantId);
          if (tenant?.role !== 'admin') return <ForAdmins />;
          return <Sharing context={context} members={tenant.members ?? []} />;
        }}
      </QueryView>
    </>
  );
}

type Members = Parameters<typeof ShareForm>[0]['members'];

function Sharing({ context: { tenantId, ledgerId }, members }: { context: LedgerContext; members: Members }) {
  return (
    <div className="flex max-w-4xl flex-col gap-6">
      <p className="text-ink-3">Control who has access to your database.</p>
      <QueryView query={useShares(tenantId, ledgerId)}>
        {(given) => (
          <>
            <ShareForm tenantId={tenantId} members={members} given={given} />
            <SharesList tenantId={tenantId} given={given} />
          </>
        )}
      </QueryView>
      <div>
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/members`}>Members of the tenant</LinkButton>
      </div>
    </div>
  );
}

function ForAdmins() {
  return (
    <EmptyState
      icon={<Users size={20} />}
      title="Control who has access to your database."
      text="Admins of the tenant manage access. Ask an admin to change who can read or write this database."
    />
  );
}
