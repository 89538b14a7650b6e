import type { UserTenant } from '@fixpoint/protocol/admin';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

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
    <dl className="grid gap-px overflow-hidden rounded-lg border border-line bg-line shadow-1 sm:grid-cols-3">
      <Fact name="Databases" to={`${base}/ledgers`}>
        {ledgerCount === undefined ? (
          '…'
        ) : (
          <Meter count={ledgerCount} most={isAdmin ? limits?.maxLedgers : undefined} />
        )}
      </Fact>
      {members !== undefined ? (
        <Fact name="Members" to={`${base}/members`}>
          <Meter count={members.length} most={limits && limits.maxAdminUsers + limits.maxMemberUsers} />
        </Fact>
      ) : (
        <Fact name="Your role">{role}</Fact>
      )}
      <Fact name="Tenant id">
        <code className="block truncate font-mono text-sm leading-7 font-normal" title={tenantId}>
          {tenantId}
        </code>
      </Fact>
    </dl>
  );
}

function Meter({ count, most }: { count: number; most: number | undefined }) {
  return (
    <>
      {count} {most !== undefined && <span className="text-sm font-normal text-ink-3">of {most}</span>}
    </>
  );
}

function Fact({ name, to, children }: { name: string; to?: string; children: ReactNode }) {
  return (
    <div className="min-w-0 bg-surface px-5 py-3.5">
      <dt className="text-xs text-ink-3">
        {to === undefined ? (
          name
        ) : (
          <Link to={to} className="-my-1 inline-block rounded py-1 hover:text-ink hover:underline">
            {name}
          </Link>
        )}
      </dt>
      <dd className="mt-0.5 text-lg leading-7 font-semibold tabular-nums">{children}</dd>
    </div>
  );
}
