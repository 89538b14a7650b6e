/** /fp/cloud/operator: all pages for the people who run this server, in one script. */
import { useParams } from 'react-router';
import { useCloudUser } from '../cloud/queries/use-cloud.ts';
import { AuditPage } from '../features/operator/audit-page.tsx';
import { OperatorSidebar } from '../features/operator/operator-sidebar.tsx';
import { BackupsPage, GatewaysPage, MailsPage } from '../features/operator/state-pages.tsx';
import { TenantsPage } from '../features/operator/tenants-page.tsx';
import { UsersPage } from '../features/operator/users-page.tsx';
import { WaitlistPage } from '../features/operator/waitlist-page.tsx';
import { LinkButton } from '../ui/button.tsx';
import { NotFound } from '../ui/pages/feedback.tsx';
import { CloudLayout } from './cloud.tsx';

const PAGES = {
  tenants: { title: 'Tenants', Page: TenantsPage },
  users: { title: 'Users', Page: UsersPage },
  waitlist: { title: 'Waitlist', Page: WaitlistPage },
  gateways: { title: 'Gateways', Page: GatewaysPage },
  backups: { title: 'Backups', Page: BackupsPage },
  audit: { title: 'Audit log', Page: AuditPage },
  mails: { title: 'Failed mails', Page: MailsPage },
} as const;

const isPage = (name: string): name is keyof typeof PAGES => Object.hasOwn(PAGES, name);

export function Component() {
  const { page = 'tenants' } = useParams();
  const user = useCloudUser();
  const known = user?.operator === true && isPage(page) ? PAGES[page] : undefined;
  if (user !== undefined && known === undefined)
    return (
      <CloudLayout>
        <title>Not found · Fixpoint</title>
        <NotFound text="This page doesn’t exist, or only operators of this server can open it.">
          {user.operator === true && <LinkButton to="/fp/cloud/operator">Tenants</LinkButton>}
          <LinkButton to="/fp/cloud">Cloud home</LinkButton>
          <LinkButton to="/fp/databases">Local databases</LinkButton>
        </NotFound>
      </CloudLayout>
    );
  return (
    <CloudLayout sidebar={<OperatorSidebar />} place="Operator">
      <title>{`${known?.title ?? 'Operator'} · Operator · Fixpoint`}</title>
      {known !== undefined && <known.Page key={page} />}
    </CloudLayout>
  );
}
