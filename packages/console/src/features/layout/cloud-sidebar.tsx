import { useQuery } from '@tanstack/react-query';
import { Database, House, Plus } from 'lucide-react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { ledgersQuery, tenantsQuery } from '../../cloud/queries.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import { truncate } from '../../ui/truncate.ts';
import { NavItem } from './nav-item.tsx';

const NAME_CHARS_MAX = 20;
const NEW_TENANT = 'new';

/** Tenants to choose from, and what the chosen one has. */
export function CloudSidebar() {
  const tenants = useQuery(tenantsQuery);
  const ledgers = useQuery(ledgersQuery);
  const { tenantId, ledgerId } = useParams();
  const { pathname } = useLocation();
  const navigate = useNavigate();
  if (tenants.isPending) return <p role="status">Loading...</p>;
  if (tenants.data === undefined) return <p>Not found</p>;
  const current = tenantId ?? '';
  const base = `/fp/cloud/tenants/${current}`;
  const own = ledgers.data?.filter((ledger) => ledger.tenantId === current) ?? [];
  return (
    <div className="flex flex-col gap-4">
      <label className="flex flex-col gap-1 text-xs text-muted">
        Tenant
        <select
          value={current}
          onChange={({ target }) =>
            void navigate(
              target.value === NEW_TENANT
                ? '/fp/cloud/tenants/new'
                : `/fp/cloud/tenants/${target.value}/overview`,
            )
          }
          className="h-9 rounded-md border border-line bg-surface px-2 text-sm text-text"
        >
          {tenantId === undefined && <option value="">Choose a tenant</option>}
          {tenants.data.map((tenant) => (
            <option key={tenant.tenantId} value={tenant.tenantId}>
              {truncate(tenantLabel(tenant), NAME_CHARS_MAX)}
            </option>
          ))}
          <option value={NEW_TENANT}>New Tenant</option>
        </select>
      </label>
      {tenantId !== undefined && (
        <nav aria-label="Tenant" className="flex flex-col gap-1">
          <NavItem
            to={`${base}/overview`}
            active={new RegExp(`^${base}(/(overview|members|admin))?/?$`).test(pathname)}
          >
            <House size={16} aria-hidden /> Home
          </NavItem>
          <div className="flex items-center">
            <NavItem to={`${base}/ledgers`} active={pathname === `${base}/ledgers`}>
              <Database size={16} aria-hidden /> Databases
            </NavItem>
            <Link
              to={`${base}/ledgers/new`}
              aria-label="New database"
              className="grid size-9 place-items-center rounded-md hover:bg-raised"
            >
              <Plus size={16} aria-hidden />
            </Link>
          </div>
          {own.map((ledger) => (
            <div key={ledger.ledgerId} className="flex pl-6">
              <NavItem
                to={`${base}/ledgers/${ledger.ledgerId}`}
                active={ledger.ledgerId === ledgerId}
                title={ledger.name}
              >
                {truncate(ledger.name, NAME_CHARS_MAX)}
              </NavItem>
            </div>
          ))}
        </nav>
      )}
    </div>
  );
}
