import { LIMITS } from '@fixpoint/protocol';
import type { Ledger, UserTenant } from '@fixpoint/protocol/admin';
import { Cloud, House, Plus } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Link, useLocation, useNavigate, useParams } from 'react-router';
import { LEDGERS_KEY, SESSION_KEY, TENANTS_KEY } from '../../cloud/app.ts';
import { copyOf } from '../../cloud/ledgers/ledger-copies.ts';
import { onOpenedLedgers, openedLedgers } from '../../cloud/ledgers/opened-ledgers.ts';
import { lastKnown } from '../../cloud/queries/last-known.ts';
import { useLedgers, useSession, useTenants } from '../../cloud/queries/use-cloud.ts';
import { tenantLabel } from '../../cloud/tenant-label.ts';
import { ledgerPages } from '../../local/database-pages.ts';
import { IconLink } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { lazyComponent } from '../../ui/pages/lazy-component.tsx';
import { failureText } from '../../ui/text/failure-text.ts';
import { truncate } from '../../values/truncate.ts';
import { type TenantInView, useTenantInView } from './tenant-in-view.ts';
import { DatabaseEntry, NavItem } from './tree.tsx';

// Loaded by the page of a ledger, too. Until then, no ledger has a state.
const LedgerState = lazyComponent(async () => (await import('../sync/sync-badge.tsx')).LedgerState);

const NEW_TENANT = 'new';
/** Subpaths of a tenant on which Home is active (spec §2). */
const HOME: ReadonlySet<string | undefined> = new Set(['', '/overview', '/members', '/admin']);
const cut = (name: string) => truncate(name, LIMITS.sidebarNameCharsMax);

/** Shows the cloud part of the sidebar, but only to users who are signed in. */
export function CloudSidebarOfUser() {
  const { data: somebody, isPending } = useSession();
  const isShown = isPending ? lastKnown(SESSION_KEY) : somebody;
  return isShown ? <CloudSidebar /> : null;
}

/** Shows the tenant selection, and the pages of the selected tenant. */
export function CloudSidebar() {
  const { data: tenants, isPending, error } = useTenants();
  if (tenants !== undefined) return <Tenants tenants={tenants} />;
  if (!isPending) return <Nothing why={failureText(error)} />;
  const before = lastKnown<UserTenant[]>(TENANTS_KEY);
  return <Waiting>{before && <Tenants tenants={before} />}</Waiting>;
}

function Tenants({ tenants }: { tenants: readonly UserTenant[] }) {
  const inView = useTenantInView(tenants);
  return (
    <div className="flex flex-col gap-2">
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
    <nav aria-label="Tenant" className="flex flex-col">
      <NavItem to={`${base}/overview`} active={HOME.has(below)}>
        <House size={16} aria-hidden /> Home
      </NavItem>
      <div className="flex items-center gap-0.5">
        <NavItem to={`${base}/ledgers`} active={below === '/ledgers'}>
          <Cloud size={16} aria-hidden /> Databases
        </NavItem>
        <IconLink to={`${base}/ledgers/new`} label="New database">
          <Plus size={15} aria-hidden />
        </IconLink>
      </div>
      <div className="ml-3.5 border-l border-line pl-1">
        {ledgers.isPending && (
          <Waiting>
            <Ledgers ledgers={lastKnown<Ledger[]>([...LEDGERS_KEY, tenantId]) ?? []} base={base} />
          </Waiting>
        )}
        {ledgers.isError && <Nothing why={failureText(ledgers.error)} />}
        {ledgers.data && <Ledgers ledgers={ledgers.data} base={base} />}
      </div>
    </nav>
  );
}

function Ledgers({ ledgers, base }: { ledgers: readonly Ledger[]; base: string }) {
  if (ledgers.length === 0) return <p className={NOTE}>No databases yet.</p>;
  return (
    <ul>
      {ledgers.map((ledger) => (
        <LedgerItem key={ledger.ledgerId} ledger={ledger} base={base} />
      ))}
    </ul>
  );
}

/**
 * Renders the navigation for users without a tenant. Both links lead to the page that explains
 * tenants.
 */
function NavWithoutTenant() {
  return (
    <nav aria-label="Tenant" className="flex flex-col">
      <NavItem to="/fp/cloud" active={false}>
        <House size={16} aria-hidden /> Home
      </NavItem>
      <NavItem to="/fp/cloud" active={false}>
        <Cloud size={16} aria-hidden /> Databases
      </NavItem>
      <p className="ml-3.5 border-l border-line py-1 pl-4 text-xs text-ink-3">
        Databases belong to a tenant.{' '}
        <Link
          to="/fp/cloud/tenants/new"
          className="rounded text-accent-ink underline underline-offset-2 hover:text-ink"
        >
          Create one
        </Link>{' '}
        first.
      </p>
    </nav>
  );
}

function LedgerItem({ ledger: { ledgerId, name }, base }: { ledger: Ledger; base: string }) {
  const to = `${base}/ledgers/${ledgerId}`;
  const attached = useSyncExternalStore(onOpenedLedgers, openedLedgers).get(ledgerId);
  return (
    <DatabaseEntry
      name={name}
      storage={copyOf(ledgerId)}
      to={to}
      pages={ledgerPages(to)}
      isCurrent={useParams()['ledgerId'] === ledgerId}
      state={
        attached && (
          <span className="flex text-2xs">
            <LedgerState attached={attached} />
          </span>
        )
      }
    />
  );
}

/** As high as the entry of a database. */
const NOTE = 'flex h-7 items-center px-2 text-sm text-ink-3 max-md:h-10';

/**
 * Says that a list is loading. The invisible children are its last known content: they reserve the
 * space of the list, so that the local databases below it don't move.
 */
const Waiting = ({ children }: { children?: ReactNode }) => (
  <div className="grid *:[grid-area:1/1]">
    <p role="status" className={`${NOTE} animate-late`}>
      Loading...
    </p>
    <div inert aria-hidden className="invisible min-w-0">
      {children}
    </div>
  </div>
);

const Nothing = ({ why }: { why: string }) => (
  <div className="px-2 py-1 text-sm text-ink-3">
    <p>Not found</p>
    <p className="text-xs break-words text-ink-2">{why}</p>
  </div>
);
