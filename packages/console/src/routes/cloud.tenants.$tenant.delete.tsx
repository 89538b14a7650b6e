import type { UserTenant } from '@fixpoint/protocol/admin';
import { useApp } from '../cloud/app.ts';
import { ledgerQueries, tenantQueries } from '../cloud/queries/queries.ts';
import { useCall } from '../cloud/queries/use-call.ts';
import { useSession } from '../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../cloud/tenant-label.ts';
import { KnownTenant } from '../features/tenants/known-tenant.tsx';
import { LinkButton } from '../ui/button.tsx';
import { useToast } from '../ui/overlays/toaster.tsx';
import { wholePath } from '../ui/pages/base-path.ts';
import { Card, PageHeader } from '../ui/pages/page.tsx';

/** /fp/cloud/tenants/{tenantId}/delete */
export function Component() {
  return (
    <KnownTenant>
      {(tenant) => (
        <div className="max-w-lg">
          <title>{`Delete ${tenantLabel(tenant)} · Fixpoint`}</title>
          <PageHeader title="Delete tenant" />
          {tenant.role === 'admin' ? <Delete tenant={tenant} /> : <NotAllowed tenantId={tenant.tenantId} />}
        </div>
      )}
    </KnownTenant>
  );
}

function NotAllowed({ tenantId }: { tenantId: string }) {
  return (
    <Card>
      <p className="mb-4 text-ink-3">You need admin privileges to delete this tenant.</p>
      <LinkButton to={`/fp/cloud/tenants/${tenantId}/overview`}>Back to the tenant</LinkButton>
    </Card>
  );
}

function Delete({ tenant: { tenantId, tenant, user } }: { tenant: UserTenant }) {
  const { api } = useApp();
  const { data: somebody } = useSession();
  const toast = useToast();
  const remove = useCall({
    call: () => api.deleteTenant(tenantId),
    changes: [tenantQueries.list(api).queryKey, ledgerQueries.all],
    onDone: () => toast(`${tenant.name} deleted.`),
    onFresh: (_done, visit) => visit.leadTo('/fp/cloud'),
  });
  return (
    <Card
      tone="danger"
      title="This cannot be undone"
      lead="Deletes the tenant, its databases with all their documents, and its invitations, for everybody."
    >
      <a
        href={wholePath(`/fp/cloud/tenants/${tenantId}/delete`)}
        aria-disabled={remove.isPending}
        className="mb-4 block rounded-md border border-danger-line px-4 py-3 text-sm text-danger transition-colors hover:border-danger hover:bg-danger-soft aria-disabled:opacity-50"
        onClick={(event) => {
          event.preventDefault();
          if (!remove.isPending) remove.mutate(undefined);
        }}
      >
        <span className="block font-medium">Delete {tenant.name}</span>
        <span className="block font-mono text-xs break-all">{tenantId}</span>
        <span className="block text-xs">{user.name ?? somebody?.name}</span>
      </a>
      <LinkButton to={`/fp/cloud/tenants/${tenantId}/admin`}>Keep tenant</LinkButton>
    </Card>
  );
}
