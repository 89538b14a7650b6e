import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from 'react-router';
import { admin, ledgersQuery, messageOf, tenantsQuery } from '../cloud/queries.ts';
import { Card, NotFound, PageHeader, Skeleton } from '../ui/feedback.tsx';
import { useToast } from '../ui/toaster.tsx';

/** /fp/cloud/tenants/{tenantId}/delete */
export function Component() {
  const { tenantId = '' } = useParams();
  const tenants = useQuery(tenantsQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  if (tenants.isPending) return <Skeleton />;
  const tenant = tenants.data?.find((one) => one.tenantId === tenantId);
  if (tenant === undefined) return <NotFound />;
  const remove = async () => {
    const removed = await admin.call('reqDeleteTenant', { tenantId });
    if (!removed.ok) return toast(messageOf(removed.error), { tone: 'error' });
    await Promise.all([queries.refetchQueries(tenantsQuery), queries.invalidateQueries(ledgersQuery)]);
    await navigate('/fp/cloud');
  };
  return (
    <div className="max-w-lg">
      <title>Delete tenant · Fixpoint</title>
      <PageHeader title="Delete tenant" />
      <Card>
        <p className="mb-3 text-muted">
          This deletes the tenant, its databases and its invitations for everybody, at once.
        </p>
        <a
          href={`/fp/cloud/tenants/${tenantId}/delete`}
          className="break-all text-danger underline"
          onClick={(event) => {
            event.preventDefault();
            void remove();
          }}
        >
          Delete {tenantId} {tenant.tenant.name} {tenant.user.name}
        </a>
      </Card>
    </div>
  );
}
