import type { UserTenant } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useApp } from '../../cloud/app.ts';
import { usageQuery } from '../../cloud/queries/queries.ts';
import { bytesText } from '../../values/bytes-text.ts';

export interface TenantFactsProps {
  readonly tenant: UserTenant;
  /** Undefined until it is known. */
  readonly ledgerCount: number | undefined;
}

/** Shows a tenant's contents and its limits. */
export function TenantFacts({ tenant: { tenantId, tenant, role, members }, ledgerCount }: TenantFactsProps) {
  const { limits } = tenant;
  // Only admins create ledgers, and other members may not see all of them.
  const isAdmin = role === 'admin';
  const base = `/fp/cloud/tenants/${tenantId}`;
  return (
    <dl className="grid gap-px overflow-hidden rounded-lg border border-line bg-line shadow-1 min-[20rem]:grid-cols-2 lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none">
      <Fact name="Databases" to={`${base}/ledgers`}>
        {ledgerCount === undefined ? (
          '…'
        ) : (
          <Meter count={ledgerCount} most={isAdmin ? limits?.maxLedgers : undefined} />
        )}
      </Fact>
      {members !== undefined ? (
        <>
          <Fact name="Members" to={`${base}/members`}>
            <Meter count={members.length} most={limits && limits.maxAdminUsers + limits.maxMemberUsers} />
          </Fact>
          <UsageFacts tenantId={tenantId} />
        </>
      ) : (
        <>
          <Fact name="Your role">{role}</Fact>
          <Fact name="Tenant id">
            <code className="block truncate font-mono text-sm leading-7 font-normal" title={tenantId}>
              {tenantId}
            </code>
          </Fact>
        </>
      )}
    </dl>
  );
}

/** Shows to admins the bytes that devices moved in 30 days, and the bytes that are stored now. */
function UsageFacts({ tenantId }: { tenantId: string }) {
  const { data, isError } = useQuery(usageQuery(useApp().api, tenantId));
  const unknown = isError ? 'unknown' : '…';
  const moved = data?.days.map(({ uploaded, downloaded }) => uploaded + downloaded);
  return (
    <>
      <Fact name="Sent and fetched in 30 days">
        {moved === undefined ? (
          unknown
        ) : (
          <>
            {bytesText(moved.reduce((sum, bytes) => sum + bytes, 0))}
            <Spark values={moved} />
          </>
        )}
      </Fact>
      <Fact name="Storage">
        {data === undefined ? (
          unknown
        ) : (
          <>
            {bytesText(data.bytes)}{' '}
            {data.maxBytes !== undefined && <Beside>of {bytesText(data.maxBytes)}</Beside>}
            <Spark values={data.days.flatMap(({ stored }) => stored ?? [])} />
          </>
        )}
      </Fact>
    </>
  );
}

/** Limits up to this number are drawn as dots, one for each. */
const DOTS_MAX = 12;

function Meter({ count, most }: { count: number; most: number | undefined }) {
  return (
    <>
      {count} {most !== undefined && <Beside>of {most}</Beside>}
      {most !== undefined && most <= DOTS_MAX && (
        <span aria-hidden className="ml-auto flex flex-wrap justify-end gap-0.75 self-center max-sm:hidden">
          {Array.from({ length: most }, (_, at) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: all dots are alike
              key={at}
              className={`size-2.5 rounded-[0.1875rem] forced-colors:border ${at < count ? 'bg-accent forced-colors:bg-[CanvasText]' : 'bg-pressed'}`}
            />
          ))}
        </span>
      )}
    </>
  );
}

/** Draws how values changed. The chart of the usage has the numbers. */
function Spark({ values }: { values: readonly number[] }) {
  const path = sparkPath(values);
  if (path === undefined) return null;
  return (
    <svg
      viewBox="0 0 72 26"
      preserveAspectRatio="none"
      aria-hidden="true"
      // Gets narrower before it wraps to a line of its own.
      className="ml-auto h-6.5 max-w-18 grow basis-8 self-end max-sm:hidden"
    >
      <path d={`${path}V26H0Z`} className="fill-(--c1) opacity-15" />
      <path
        d={path}
        className="fill-none stroke-(--c1) stroke-[1.5px]"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

const SPARK_WIDTH = 72;
const [SPARK_TOP, SPARK_BOTTOM] = [3, 25];

/**
 * Returns the path of a line through values at equal distances, 72 wide and 26 high; undefined if
 * there is nothing to draw.
 */
export function sparkPath(values: readonly number[]): string | undefined {
  const most = values.reduce((max, value) => Math.max(max, value), 0);
  if (values.length < 2 || most === 0) return undefined;
  const step = SPARK_WIDTH / (values.length - 1);
  return values
    .map((value, at) => {
      const y = SPARK_BOTTOM - (value / most) * (SPARK_BOTTOM - SPARK_TOP);
      return `${at === 0 ? 'M' : 'L'}${rounded(at * step)} ${rounded(y)}`;
    })
    .join('');
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const Beside = ({ children }: { children: ReactNode }) => (
  <span className="text-sm font-normal tracking-normal text-ink-3">{children}</span>
);

function Fact({ name, to, children }: { name: string; to?: string; children: ReactNode }) {
  return (
    <div className="min-w-0 bg-surface px-4 py-3">
      <dt className="text-xs font-medium text-ink-2">
        {to === undefined ? (
          name
        ) : (
          <Link to={to} className="-my-1 inline-block rounded py-1 hover:text-ink hover:underline">
            {name}
          </Link>
        )}
      </dt>
      <dd className="mt-1 flex min-w-0 flex-wrap items-baseline gap-x-1.75 text-2xl leading-7 font-semibold tabular-nums max-sm:text-xl">
        {children}
      </dd>
    </div>
  );
}
