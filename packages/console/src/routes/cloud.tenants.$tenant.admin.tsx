import type { UserTenant } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Lock } from 'lucide-react';
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
import { LimitsCard } from '../features/tenants/limits-card.tsx';
import { RenameForm } from '../features/tenants/rename-form.tsx';
import { TenantCard } from '../features/tenants/tenant-card.tsx';
import { ApiTokensCard } from '../features/tokens/api-tokens-card.tsx';
import { tellIfLeft } from '../leaving/left-form.ts';
import { Badge } from '../ui/badge.tsx';
import { LinkButton } from '../ui/button.tsx';
import { textOf } from '../ui/forms/form.tsx';
import { Skeleton } from '../ui/pages/feedback.tsx';
import { Card } from '../ui/pages/page.tsx';
import { InSlot } from '../ui/pages/page-slots.tsx';
import { Columns } from '../ui/pages/settings.tsx';
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
  const own = useOutletContext<UserTenant>();
  const result = useActionData<typeof action>();
  if (own.role !== 'admin')
    return (
      <Card title="Settings">
        <p className="text-ink-3">You need admin privileges to change this tenant.</p>
      </Card>
    );
  return (
    <>
      <InSlot name="actions">
        <span className="max-xl:hidden">
          <Badge>
            <Lock size={12} aria-hidden /> Only admins see this page
          </Badge>
        </span>
      </InSlot>
      <Settings {...{ tenant: own, result }} />
    </>
  );
}

interface SettingsProps {
  readonly tenant: UserTenant;
  readonly result: Parameters<typeof RenameForm>[0]['outcome'];
}

/**
 * Shows all lists at once, because lists that load one after the other would push down the content
 * below them.
 */
function Settings({ tenant: own, result }: SettingsProps) {
  const { tenantId, tenant, members = [] } = own;
  const { api } = useApp();
  const records = useInfiniteQuery(auditQuery(api, tenantId));
  const users = useInfiniteQuery(applicationUsersQuery(api, tenantId));
  const areThere = [records, users].every(({ isPending, failureCount }) => !isPending || failureCount > 0);
  const areAnswered = useAreAnswered([apiTokensQuery(api, tenantId), applicationsQuery(api, tenantId)]);
  return (
    <Columns
      aside={
        <>
          <LimitsCard tenant={own} />
          <TenantCard tenant={own} />
        </>
      }
    >
      <Card title="Update Tenant Name">
        <RenameForm
          name={tenant.name}
          outcome={result}
          isQuiet
          hint="Everybody in this tenant sees the new name. Addresses and tokens keep working."
        />
      </Card>
      {areAnswered && areThere ? (
        <>
          <ApiTokensCard tenantId={tenantId} members={members} />
          <ApplicationsCard tenantId={tenantId} />
          <OwnUsersCard tenantId={tenantId} />
          <ActivityCard tenantId={tenantId} members={members} />
          <DangerZone tenantId={tenantId} />
        </>
      ) : (
        <Skeleton shape="rows" />
      )}
    </Columns>
  );
}

const DangerZone = ({ tenantId }: { tenantId: string }) => (
  <Card
    title="Danger Zone"
    tone="danger"
    lead="Once you delete a tenant, there is no going back. Please be certain."
  >
    <LinkButton to={`/fp/cloud/tenants/${tenantId}/delete`} tone="danger">
      Delete Tenant
    </LinkButton>
  </Card>
);
