import type { Member, UserTenant } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ActionFunctionArgs, data, useActionData, useOutletContext } from 'react-router';
import { app, useApp } from '../cloud/app.ts';
import {
  apiTokensQuery,
  applicationsQuery,
  applicationUsersQuery,
  auditQuery,
  tenantQueries,
} from '../cloud/queries/queries.ts';
import { useAreAnswered } from '../cloud/queries/use-are-answered.ts';
import { ApplicationsCard } from '../features/applications/applications-card.tsx';
import { OwnUsersCard } from '../features/applications/own-users-card.tsx';
import { ActivityCard } from '../features/tenants/activity-card.tsx';
import { RenameForm } from '../features/tenants/rename-form.tsx';
import { ApiTokensCard } from '../features/tokens/api-tokens-card.tsx';
import { tellIfLeft } from '../leaving/left-form.ts';
import { LinkButton } from '../ui/button.tsx';
import { textOf } from '../ui/forms/form.tsx';
import { Skeleton } from '../ui/pages/feedback.tsx';
import { Card } from '../ui/pages/page.tsx';
import { CopyButton } from '../ui/text/copy-button.tsx';
import { failureText } from '../ui/text/failure-text.ts';

export async function action({ request, params, context }: ActionFunctionArgs) {
  const name = textOf(await request.formData(), 'name');
  // The form already marks the required field, and spec §5 requires no message here.
  if (name === '') return data({ error: undefined, done: false }, { status: 400 });
  const { api, queries } = context.get(app);
  const updated = await api.updateTenant(params['tenantId'] ?? '', name);
  if (!updated.ok) {
    const error = failureText(updated.error);
    tellIfLeft(request, `Couldn’t rename the tenant: ${error}`, { tone: 'error' });
    return data({ error, done: false }, { status: 400 });
  }
  await queries.invalidateQueries({ ...tenantQueries.list(api), refetchType: 'all' });
  tellIfLeft(request, `Tenant renamed to ${name}.`);
  return { error: undefined, done: true };
}

/** /fp/cloud/tenants/{tenantId}/admin */
export function Component() {
  const { tenantId, tenant, role, members = [] } = useOutletContext<UserTenant>();
  const result = useActionData<typeof action>();
  if (role !== 'admin')
    return (
      <Card title="Settings">
        <p className="text-ink-3">You need admin privileges to change this tenant.</p>
      </Card>
    );
  return (
    <div className="flex flex-col gap-5">
      <Card title="Update Tenant Name">
        <RenameForm name={tenant.name} outcome={result} isQuiet />
        <p className="mt-4 flex flex-wrap items-center gap-2 text-sm text-ink-3">
          Tenant id <code className="font-mono text-xs wrap-anywhere text-ink">{tenantId}</code>
          <CopyButton text={tenantId} label="Copy tenant id" tone="quiet" size="sm" />
        </p>
      </Card>
      <Rest tenantId={tenantId} members={members} />
    </div>
  );
}

/**
 * Shows all lists at once, because lists that load one after the other would push down the content
 * below them.
 */
function Rest({ tenantId, members }: { tenantId: string; members: readonly Member[] }) {
  const { api } = useApp();
  const records = useInfiniteQuery(auditQuery(api, tenantId));
  const users = useInfiniteQuery(applicationUsersQuery(api, tenantId));
  const areThere = [records, users].every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  if (!useAreAnswered([apiTokensQuery(api, tenantId), applicationsQuery(api, tenantId)]) || !areThere)
    return <Skeleton shape="rows" />;
  return (
    <>
      <ApiTokensCard tenantId={tenantId} />
      <ApplicationsCard tenantId={tenantId} />
      <OwnUsersCard tenantId={tenantId} />
      <ActivityCard tenantId={tenantId} members={members} />
      <Card
        title="Danger Zone"
        tone="danger"
        lead="Once you delete a tenant, there is no going back. Please be certain."
      >
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/delete`} tone="danger">
          Delete Tenant
        </LinkButton>
      </Card>
    </>
  );
}
