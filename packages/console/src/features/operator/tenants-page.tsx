import type { ServerTenant } from '@fixpoint/protocol/admin';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApp } from '../../cloud/app.ts';
import { PageHeader } from '../../ui/pages/page.tsx';
import { dayOf } from '../../ui/text/moment.ts';
import { bytesText } from '../../values/bytes-text.ts';
import { LimitsDialog } from './limits-dialog.tsx';
import { PagedList, SearchField, Table, TwoLines, useSearch } from './list-parts.tsx';
import { tenantsQuery } from './operator-queries.ts';
import { ServerFigures } from './server-figures.tsx';

/** /fp/cloud/operator: lists all tenants with their storage, traffic and limits. */
export function TenantsPage() {
  const { typed, setTyped, search } = useSearch();
  const query = useInfiniteQuery(tenantsQuery(useApp().api, search));
  const [chosen, setChosen] = useState<ServerTenant>();
  return (
    <>
      <PageHeader title="Tenants" />
      <ServerFigures />
      <div className="mb-3">
        <SearchField label="Find a tenant or owner" value={typed} onChange={setTyped} />
      </div>
      <PagedList
        query={query}
        empty={search === '' ? 'No tenants yet.' : `No tenant matches “${search}”.`}
        isEmpty={(pages) => pages.every(({ tenants }) => tenants.length === 0)}
      >
        {(pages) => (
          <Table
            label="Tenants"
            head={
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
                  traffic in 14 days
                </th>
                <th scope="col" className="text-right max-md:hidden">
                  created
                </th>
              </>
            }
          >
            {pages.flatMap(({ tenants }) =>
              tenants.map((tenant) => <TenantRow key={tenant.tenantId} tenant={tenant} choose={setChosen} />),
            )}
          </Table>
        )}
      </PagedList>
      {chosen !== undefined && <LimitsDialog tenant={chosen} onClose={() => setChosen(undefined)} />}
    </>
  );
}

interface TenantRowProps {
  readonly tenant: ServerTenant;
  readonly choose: (tenant: ServerTenant) => void;
}

function TenantRow({ tenant, choose }: TenantRowProps) {
  const { name, ownerEmail, ownerUserId, ledgers, maxLedgers, admins, members, traffic, createdAt } = tenant;
  return (
    <tr className="hover:bg-hover">
      <td className="max-w-0 min-w-40 max-sm:w-full">
        <button
          type="button"
          className="block max-w-full cursor-pointer rounded text-left hover:underline"
          title={`Limits of ${name}`}
          onClick={() => choose(tenant)}
        >
          <TwoLines name={name} detail={ownerEmail ?? ownerUserId} />
        </button>
      </td>
      <td className="text-right whitespace-nowrap tabular-nums max-lg:hidden">
        {ledgers}
        <span className="text-ink-3"> / {maxLedgers}</span>
      </td>
      <td className="text-right whitespace-nowrap tabular-nums max-lg:hidden">
        {admins + members}
        <span className="text-ink-3"> / {tenant.maxAdminUsers + tenant.maxMemberUsers}</span>
      </td>
      <td className="w-36 min-w-28">
        <Storage {...tenant} />
      </td>
      <td className="max-md:hidden">
        <Traffic traffic={traffic} />
      </td>
      <td className="text-right whitespace-nowrap text-ink-3 max-md:hidden">{dayOf(createdAt)}</td>
    </tr>
  );
}

/** From this share of the quota on, the storage is marked. */
const NEARLY = 0.85;

/** Shows the stored bytes, and how much of the quota they are. */
function Storage({ bytes, maxBytes }: Pick<ServerTenant, 'bytes' | 'maxBytes'>) {
  if (maxBytes === undefined)
    return (
      <span className="tabular-nums">
        {bytesText(bytes)} <span className="text-xs text-ink-3">no quota</span>
      </span>
    );
  const share = maxBytes === 0 ? 1 : Math.min(1, bytes / maxBytes);
  const isNear = share >= NEARLY;
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
  const total = bars.reduce((sum, { bytes }) => sum + bytes, 0);
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
      <span className="whitespace-nowrap tabular-nums">{bytesText(total)}</span>
    </div>
  );
}
