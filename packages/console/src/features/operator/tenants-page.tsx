import type { ServerTenant } from '@fixpoint/protocol/admin';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Select } from '../../ui/forms/select.tsx';
import { PageHeader } from '../../ui/pages/page.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { useIsWide } from '../../ui/use-is-wide.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { LimitsDialog } from './limits-form.tsx';
import { PagedList, SearchField, Table, TwoLines, useSearch } from './list-parts.tsx';
import { serverQuery, tenantsQuery } from './operator-queries.ts';
import { ServerFigures, SIGN_UP } from './server-figures.tsx';
import {
  isNearLimit,
  isNearShare,
  orderTenants,
  shareOf,
  TENANT_ORDERS,
  type TenantOrder,
  trafficOf,
} from './tenant-limits.ts';
import { TenantPanel } from './tenant-panel.tsx';

/** /fp/cloud/operator: lists all tenants with their storage, traffic and limits. */
export function TenantsPage() {
  const { typed, setTyped, search } = useSearch();
  const { api } = useApp();
  const query = useInfiniteQuery(tenantsQuery(api, search));
  const { data: server } = useQuery(serverQuery(api));
  const [chosen, choose] = useState<string>();
  const [order, setOrder] = useState<TenantOrder>('newest');
  const [isNearOnly, setNearOnly] = useState(false);
  const isWide = useIsWide();
  const loaded = query.data?.pages.flatMap(({ tenants }) => tenants) ?? [];
  const near = loaded.filter(isNearLimit).length;
  const listed = isNearOnly ? loaded.filter(isNearLimit) : loaded;
  const shown = orderTenants(listed, query.hasNextPage ? 'newest' : order);
  const tenant = loaded.find(({ tenantId }) => tenantId === chosen);
  return (
    <section aria-label="All tenants" className={isWide ? 'fills' : '-mx-4 -mt-4 flex flex-col'}>
      <Header server={server} />
      <ServerFigures />
      <div className="flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <div className="flex min-h-10.5 shrink-0 flex-wrap items-center gap-1.5 px-4 py-1.5">
            <SearchField label="Find a tenant or owner" value={typed} onChange={setTyped} />
            {/* The server lists the newest first. Only a complete list can be sorted here. */}
            {!query.hasNextPage && <OrderSelect {...{ order, setOrder }} />}
            {(near > 0 || isNearOnly) && <NearButton {...{ near, isNearOnly, setNearOnly }} />}
          </div>
          <div className="min-h-0 flex-1 overflow-y-auto px-4">
            <PagedList
              query={query}
              empty={search === '' ? 'No tenants yet.' : `No tenant matches “${search}”.`}
              isEmpty={(pages) => pages.every(({ tenants }) => tenants.length === 0)}
            >
              {() => (
                <Table label="Tenants" head={HEAD}>
                  {shown.map((one) => (
                    <TenantRow
                      key={one.tenantId}
                      tenant={one}
                      isChosen={one.tenantId === chosen}
                      choose={choose}
                    />
                  ))}
                </Table>
              )}
            </PagedList>
          </div>
          <Footer server={server} />
        </div>
        {tenant !== undefined && isWide && (
          <TenantPanel key={tenant.tenantId} tenant={tenant} onClose={() => choose(undefined)} />
        )}
      </div>
      {tenant !== undefined && !isWide && <LimitsDialog tenant={tenant} onClose={() => choose(undefined)} />}
    </section>
  );
}

interface OrderSelectProps {
  readonly order: TenantOrder;
  readonly setOrder: (order: TenantOrder) => void;
}

const OrderSelect = ({ order, setOrder }: OrderSelectProps) => (
  <Select
    label="Sort tenants"
    className="w-36"
    value={order}
    onChange={({ target }) => setOrder(target.value as TenantOrder)}
  >
    {Object.entries(TENANT_ORDERS).map(([name, text]) => (
      <option key={name} value={name}>
        {text}
      </option>
    ))}
  </Select>
);

interface NearButtonProps {
  readonly near: number;
  readonly isNearOnly: boolean;
  readonly setNearOnly: (isNearOnly: boolean) => void;
}

/** Shows only tenants that need a decision about their limits. */
const NearButton = ({ near, isNearOnly, setNearOnly }: NearButtonProps) => (
  <Button
    aria-pressed={isNearOnly}
    className="ml-auto border-conflict-line! bg-conflict-soft! text-conflict aria-pressed:shadow-[inset_0_0_0_1px_var(--conflict)]!"
    onClick={() => setNearOnly(!isNearOnly)}
  >
    <TriangleAlert size={12} strokeWidth={2} aria-hidden /> {near} at or near a limit
  </Button>
);

interface ServerProps {
  /** Undefined until it is known. */
  readonly server:
    | { readonly tenants: number; readonly people: number; readonly signUp: keyof typeof SIGN_UP }
    | undefined;
}

function Header({ server }: ServerProps) {
  const mode = server && SIGN_UP[server.signUp];
  return (
    <PageHeader
      title="Tenants"
      beside={
        server !== undefined && (
          <>
            <span className="text-ink-3 tabular-nums">{server.tenants.toLocaleString()}</span>
            {mode !== undefined && (
              <Badge title={mode.what}>
                <span>Sign-up: {mode.name.toLowerCase()}</span>
              </Badge>
            )}
          </>
        )
      }
    >
      <LinkButton to="/fp/cloud/tenants/new" tone="primary">
        <Plus size={14} aria-hidden /> <span className="max-sm:sr-only">New Tenant</span>
      </LinkButton>
    </PageHeader>
  );
}

function Footer({ server }: ServerProps) {
  return (
    <p className="flex min-h-7.5 shrink-0 flex-wrap items-center gap-x-3 border-t border-line px-4 text-xs text-ink-3 tabular-nums">
      {server !== undefined && (
        <span className="mr-auto">
          {server.tenants === 1 ? '1 tenant' : `${server.tenants.toLocaleString()} tenants`},{' '}
          {server.people === 1 ? '1 user' : `${server.people.toLocaleString()} users`}
        </span>
      )}
      <span>
        On the server: <code className="font-mono">fixpoint operate tenants</code>
      </span>
    </p>
  );
}

const HEAD = (
  <>
    <th scope="col">tenant</th>
    <th scope="col" className="text-right max-lg:hidden">
      databases
    </th>
    <th scope="col" className="text-right max-lg:hidden">
      members
    </th>
    <th scope="col">storage</th>
    <th scope="col" className="max-md:hidden">
      14 days
    </th>
    <th scope="col" className="text-right max-md:hidden">
      created
    </th>
  </>
);

interface TenantRowProps {
  readonly tenant: ServerTenant;
  readonly isChosen: boolean;
  readonly choose: (tenantId: string) => void;
}

function TenantRow({ tenant, isChosen, choose }: TenantRowProps) {
  const { tenantId, name, ownerEmail, ownerUserId, ledgers, maxLedgers, admins, members } = tenant;
  return (
    <tr className={`relative h-10 *:py-0.5! ${isChosen ? 'bg-accent-soft' : 'hover:bg-hover'}`}>
      <td className="max-w-0 min-w-40 max-sm:w-full">
        <button
          type="button"
          aria-expanded={isChosen}
          // The whole row is the button.
          className="block max-w-full cursor-pointer text-left after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          onClick={() => choose(tenantId)}
        >
          <TwoLines name={name} detail={ownerEmail ?? ownerUserId} />
        </button>
      </td>
      <Used className="max-lg:hidden" count={ledgers} most={maxLedgers} />
      <Used
        className="max-lg:hidden"
        count={admins + members}
        most={tenant.maxAdminUsers + tenant.maxMemberUsers}
      />
      <td className="w-36 min-w-28">
        <Storage {...tenant} />
      </td>
      <td className="max-md:hidden">
        <Traffic {...tenant} />
      </td>
      <td className="text-right whitespace-nowrap text-ink-3 max-md:hidden">{dayOf(tenant.createdAt)}</td>
    </tr>
  );
}

const Used = ({ count, most, className }: { count: number; most: number; className: string }) => (
  <td className={`text-right whitespace-nowrap tabular-nums ${className}`}>
    <span className={count >= most ? 'font-medium text-conflict' : ''}>{count}</span>
    <span className="text-ink-3"> / {most}</span>
  </td>
);

/** Shows the stored bytes, and how much of the quota they are. */
function Storage({ bytes, maxBytes }: Pick<ServerTenant, 'bytes' | 'maxBytes'>) {
  const share = shareOf(bytes, maxBytes);
  if (share === undefined || maxBytes === undefined)
    return (
      <span className="tabular-nums">
        {bytesText(bytes)} <span className="text-xs text-ink-3">no quota</span>
      </span>
    );
  const isNear = isNearShare(share);
  return (
    <div className="tabular-nums">
      <div className="flex items-baseline justify-between gap-2 leading-4">
        <span className={isNear ? 'font-medium text-conflict' : ''}>{bytesText(bytes)}</span>
        <span className="text-xs text-ink-3">{bytesText(maxBytes)}</span>
      </div>
      <div aria-hidden className="mt-1 h-1 overflow-hidden rounded-full bg-pressed">
        <div
          className={`h-full rounded-full ${isNear ? 'bg-conflict' : 'bg-accent'}`}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </div>
  );
}

const DAYS = 14;
const DAY_MS = 86_400_000;
const HEIGHT = 20;

/** Draws the traffic of each of the last days. */
function Traffic({ traffic }: Pick<ServerTenant, 'traffic'>) {
  const sums = new Map(traffic.map(({ day, uploaded, downloaded }) => [day, uploaded + downloaded]));
  const now = Date.now();
  const bars = Array.from({ length: DAYS }, (_, at) => {
    const day = new Date(now - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { day, bytes: sums.get(day) ?? 0 };
  });
  const most = bars.reduce((so, { bytes }) => Math.max(so, bytes), 1);
  return (
    <div className="flex items-center gap-2.5">
      <svg aria-hidden viewBox={`0 0 ${DAYS * 6} ${HEIGHT}`} className="h-5 w-21 shrink-0 fill-accent">
        {bars.map(({ day, bytes }, at) => {
          const height = bytes === 0 ? 1 : Math.max(2, (bytes / most) * HEIGHT);
          return (
            <rect key={day} x={at * 6} y={HEIGHT - height} width={4} height={height} rx={1} opacity={0.75} />
          );
        })}
      </svg>
      <span className="whitespace-nowrap tabular-nums">{bytesText(trafficOf({ traffic }))}</span>
    </div>
  );
}
