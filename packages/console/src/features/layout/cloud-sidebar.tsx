import { LIMITS } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { Database, House, Plus } from 'lucide-react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { useLedgers, useTenants } from '../../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import { IconLink } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { truncate } from '../../values/truncate.ts';
import { NamedNavItem, NavItem } from './nav-item.tsx';
import { type TenantInView, useTenantInView } from './tenant-in-view.ts';

const NEW_TENANT = 'new';
/** Subpaths of a tenant on which Home is active (spec §2). */
const HOME: ReadonlySet<string | undefined> = new Set(['', '/overview', '/members', '/admin']);
const cut = (name: string) => truncate(name, LIMITS.sidebarNameCharsMax);

/** Shows the tenant selection, and the pages of the selected tenant. */
export function CloudSidebar() {
  const { data: tenants, isPending, error } = useTenants();
  if (isPending) return <Waiting />;
  if (tenants === undefined) return <Nothing why={failureText(error)} />;
  return <Tenants tenants={tenants} />;
}

function Tenants({ tenants }: { tenants: readonly UserTenant[] }) {
  const inView = useTenantInView(tenants);
  return (
    <div className="flex flex-col gap-3">
      <TenantSelect tenants={tenants} chosen={inView?.tenant} />
      {inView === undefined ? <NavWithoutTenant /> : <TenantNav {...inView} />}
    </div>
  );
}

interface TenantSelectProps {
  readonly tenants: readonly UserTenant[];
  readonly chosen: UserTenant | undefined;
}

function TenantSelect({ tenants, chosen }: TenantSelectProps) {
  const navigate = useNavigate();
  const choose = (value: string) =>
    void navigate(value === NEW_TENANT ? '/fp/cloud/tenants/new' : `/fp/cloud/tenants/${value}/overview`);
  return (
    <Select
      label="Tenant"
      title={chosen && tenantLabel(chosen)}
      value={chosen?.tenantId ?? ''}
      onChange={({ target }) => choose(target.value)}
    >
      {chosen === undefined && <option value="">No tenant yet</option>}
      {tenants.map((tenant) => (
        <option key={tenant.tenantId} value={tenant.tenantId} title={tenantLabel(tenant)}>
          {cut(tenantLabel(tenant))}
        </option>
      ))}
      <option value={NEW_TENANT}>New Tenant</option>
    </Select>
  );
}

function TenantNav({ tenant: { tenantId }, isOfPage }: TenantInView) {
  const { pathname } = useLocation();
  const ledgers = useLedgers(tenantId);
  const base = `/fp/cloud/tenants/${tenantId}`;
  const below = isOfPage ? pathname.slice(base.length).replace(/\/$/, '') : undefined;
  return (
    <nav aria-label="Tenant" className="flex flex-col gap-0.5">
      <NavItem to={`${base}/overview`} active={HOME.has(below)}>
        <House size={15} aria-hidden /> Home
      </NavItem>
      <div className="flex items-center gap-0.5">
        <NavItem to={`${base}/ledgers`} active={below === '/ledgers'}>
          <Database size={15} aria-hidden /> Databases
        </NavItem>
        <IconLink to={`${base}/ledgers/new`} label="New database">
          <Plus size={15} aria-hidden />
        </IconLink>
      </div>
      <div className="ml-3.5 border-l border-line pl-2.5">
        {ledgers.isPending && <Waiting />}
        {ledgers.isError && <Nothing why={failureText(ledgers.error)} />}
        {ledgers.data?.map((ledger) => (
          <LedgerItem key={ledger.ledgerId} ledger={ledger} base={base} />
        ))}
      </div>
    </nav>
  );
}

/**
 * Renders the navigation for users without a tenant. Both links lead to the page that explains
 * tenants.
 */
function NavWithoutTenant() {
  return (
    <nav aria-label="Tenant" className="flex flex-col gap-0.5">
      <NavItem to="/fp/cloud" active={false}>
        <House size={15} aria-hidden /> Home
      </NavItem>
      <NavItem to="/fp/cloud" active={false}>
        <Database size={15} aria-hidden /> Databases
      </NavItem>
      <p className="ml-3.5 border-l border-line py-1 pl-4 text-xs text-muted">
        Databases belong to a tenant.{' '}
        <Link
          to="/fp/cloud/tenants/new"
          className="rounded text-accent underline underline-offset-2 hover:text-accent-strong"
        >
          Create one
        </Link>{' '}
        first.
      </p>
    </nav>
  );
}

function LedgerItem({ ledger: { ledgerId, name }, base }: { ledger: Ledger; base: string }) {
  const active = useParams()['ledgerId'] === ledgerId;
  return (
    <div className="flex">
      <NamedNavItem to={`${base}/ledgers/${ledgerId}`} active={active} name={name} />
    </div>
  );
}

const Waiting = () => (
  <p role="status" className="flex h-8 animate-late items-center px-2 text-sm text-muted">
    Loading...
  </p>
);

const Nothing = ({ why }: { why: string }) => (
  <div className="px-2 py-1 text-sm text-muted">
    <p>Not found</p>
    <p className="text-xs break-words text-danger">{why}</p>
  </div>
);
