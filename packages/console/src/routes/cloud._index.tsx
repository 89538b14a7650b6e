import { Building2 } from 'lucide-react';
import { type LoaderFunctionArgs, redirect } from 'react-router';
import { app } from '../cloud/app.ts';
import { tenantQueries } from '../cloud/queries/queries.ts';
import { VerifyEmail } from '../features/session/verify-email.tsx';
import { LinkButton } from '../ui/button.tsx';
import { EmptyState } from '../ui/pages/feedback.tsx';
import { lazyComponent } from '../ui/pages/lazy-component.tsx';
import { PageHeader } from '../ui/pages/page.tsx';

// Most users who see this page have no invitation.
const OwnInvites = lazyComponent(
  async () => (await import('../features/members/own-invites.tsx')).OwnInvites,
);

/** Redirects to the first tenant, if there is one. */
export async function loader({ context }: LoaderFunctionArgs) {
  const { api, queries } = context.get(app);
  const [first] = await queries.ensureQueryData(tenantQueries.list(api));
  return first === undefined ? null : redirect(`/fp/cloud/tenants/${first.tenantId}/overview`);
}

/** /fp/cloud */
export function Component() {
  return (
    <div className="max-w-3xl">
      <title>Cloud · Fixpoint</title>
      <PageHeader title="Welcome to Fixpoint" lead="Here is the cloud" />
      <div className="flex flex-col gap-5">
        <OwnInvites />
        <EmptyState
          icon={<Building2 size={20} />}
          title="Create your first tenant"
          text="A tenant is an organisation with databases and the people who share them. Your apps attach to its databases and stay in sync, also after working offline."
        >
          <LinkButton to="/fp/cloud/tenants/new" tone="primary">
            Create a tenant
          </LinkButton>
          <LinkButton to="/fp/databases">Work with local databases</LinkButton>
        </EmptyState>
        <VerifyEmail />
      </div>
    </div>
  );
}
