import { LIMITS } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { Database, House, Plus } from 'lucide-react';
import { useLocation, useNavigate, useParams } from 'react-router';
import { failureText } from '../../cloud/failure-text.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import { useLedgers, useTenants } from '../../cloud/use-cloud.ts';
import { IconLink } from '../../ui/button.tsx';
import { Select } from '../../ui/select.tsx';
import { truncate } from '../../ui/truncate.ts';
import { NavItem } from './nav-item.tsx';

const NEW_TENANT = 'new';
const cut = (name: string) => truncate(name, LIMITS.sidebarNameCharsMax);

/** Tenants to choose from, and what the chosen one has. */
export function CloudSidebar() {
  const { tenantId } = useParams();
  const tenants = useTenants();
  if (tenants.isPending) return <Waiting />;
  if (tenants.data === undefined) return <Nothing why={failureText(tenants.error)} />;
  const known = tenants.data.some((tenant) => tenant.tenantId === tenantId);
  return (
    <div className="flex flex-col gap-3">
      <TenantSelect tenants={tenants.data} current={tenantId} />
      {tenantId !== undefined && known && <TenantNav tenantId={tenantId} />}
    </div>
  );
}

function TenantSelect({ tenants, current }: { tenants: readonly UserTenant[]; current: string | undefined }) {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const chosen = tenants.find(({ tenantId }) => tenantId === current);
  const making = pathname === '/fp/cloud/tenants/new';
  const choose = (value: string) =>
    void navigate(value === NEW_TENANT ? '/fp/cloud/tenants/new' : `/fp/cloud/tenants/${value}/overview`);
  return (
    <Select
      label="Tenant"
      title={chosen && tenantLabel(chosen)}
      value={making ? NEW_TENANT : (chosen?.tenantId ?? '')}
      onChange={({ target }) => choose(target.value)}
    >
      {chosen === undefined && !making && (
        <option value="">{tenants.length === 0 ? 'No tenant yet' : 'Choose a tenant'}</option>
      )}
      {tenants.map((tenant) => (
        <option key={tenant.tenantId} value={tenant.tenantId} title={tenantLabel(tenant)}>
          {cut(tenantLabel(tenant))}
        </option>
      ))}
      <option value={NEW_TENANT}>New Tenant</option>
    </Select>
  );
}

function TenantNav({ tenantId }: { tenantId: string }) {
  const { pathname } = useLocation();
  const ledgers = useLedgers(tenantId);
  const base = `/fp/cloud/tenants/${tenantId}`;
  const below = pathname.slice(base.length).replace(/\/$/, '');
  return (
    <nav aria-label="Tenant" className="flex flex-col gap-0.5">
      <NavItem to={`${base}/overview`} active={/^(\/(overview|members|admin))?$/.test(below)}>
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

function LedgerItem({ ledger: { ledgerId, name }, base }: { ledger: Ledger; base: string }) {
  const active = useParams()['ledgerId'] === ledgerId;
  return (
    <div className="flex">
      <NavItem to={`${base}/ledgers/${ledgerId}`} active={active} title={name}>
        {cut(name)}
      </NavItem>
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
