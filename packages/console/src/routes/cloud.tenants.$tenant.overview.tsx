import type { Ledger, Member, UsedDay, UserTenant } from '@fixpoint/protocol/admin';
import { useQuery } from '@tanstack/react-query';
import { Plus, UserPlus } from 'lucide-react';
import { useState } from 'react';
import { useOutletContext } from 'react-router';
import { useApp } from '../cloud/app.ts';
import { usageQuery } from '../cloud/queries/queries.ts';
import { useLedgers, useToken } from '../cloud/queries/use-cloud.ts';
import { LedgerList } from '../features/ledgers/ledger-list.tsx';
import { OwnInvites } from '../features/members/own-invites.tsx';
import { PersonRow } from '../features/members/person-row.tsx';
import { ActivityCard } from '../features/tenants/activity-card.tsx';
import { Onboarding } from '../features/tenants/onboarding.tsx';
import { TenantFacts } from '../features/tenants/tenant-facts.tsx';
import { isUsed } from '../features/tenants/usage-chart.ts';
import { LinkButton } from '../ui/button.tsx';
import { ErrorPanel, Skeleton } from '../ui/pages/feedback.tsx';
import { lazyComponent } from '../ui/pages/lazy-component.tsx';
import { Card } from '../ui/pages/page.tsx';
import { InSlot } from '../ui/pages/page-slots.tsx';
import { failureText } from '../ui/text/failure-text.ts';

const UsageCard = lazyComponent(
  async () => (await import('../features/tenants/usage-card.tsx')).UsageCard,
  () => <div className="h-110 rounded-lg border border-line bg-surface" />,
);

/** /fp/cloud/tenants/{tenantId}/overview */
export function Component() {
  const tenant = useOutletContext<UserTenant>();
  const { tenantId, role, members } = tenant;
  const ledgers = useLedgers(tenantId);
  const isAdmin = members !== undefined;
  const usage = useQuery({ ...usageQuery(useApp().api, tenantId), enabled: isAdmin });
  const isChartFirst = useIsChartFirst(ledgers.data, usage.data?.days);
  // Prefetches the token. The page shows the token only after all content above it has loaded.
  useToken(tenantId);
  return (
    <div className="flex flex-col gap-5">
      {role === 'admin' && (
        <InSlot name="actions">
          <LinkButton to={`/fp/cloud/tenants/${tenantId}/members`}>
            <UserPlus size={14} aria-hidden /> <span className="max-sm:sr-only">Invite</span>
          </LinkButton>
          {/* Without a database, the page itself asks for the first one. */}
          {ledgers.data !== undefined && ledgers.data.length > 0 && (
            <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/new`} tone="primary">
              <Plus size={14} aria-hidden /> <span className="max-sm:sr-only">New database</span>
            </LinkButton>
          )}
        </InSlot>
      )}
      <OwnInvites />
      <TenantFacts tenant={tenant} ledgerCount={ledgers.data?.length} />
      {ledgers.isError && <ErrorPanel message={failureText(ledgers.error)} />}
      {ledgers.data?.length === 0 && role !== 'admin' && (
        <Card
          title="No database yet"
          lead="You don’t have access to any database here. Ask an admin of the tenant to create or share one."
        />
      )}
      {ledgers.data?.length === 0 && role === 'admin' && (
        <Card
          title="Create a database first"
          lead="Your app attaches to a database of the tenant, and the tenant has none yet."
        >
          <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers/new`} tone="primary">
            Create a database
          </LinkButton>
        </Card>
      )}
      {ledgers.data !== undefined && ledgers.data.length > 0 && (
        <section aria-labelledby="databases" className="flex flex-col gap-2 md:hidden">
          <h2 id="databases" className="font-semibold">
            Databases
          </h2>
          <LedgerList tenantId={tenantId} ledgers={ledgers.data} />
        </section>
      )}
      {ledgers.isPending && ledgers.failureCount === 0 ? (
        <Skeleton shape="editor" />
      ) : (
        <>
          {/* The activity reads the databases too: after a failure, it would read them again and again. */}
          {members !== undefined && ledgers.data !== undefined ? (
            <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 lg:grid-cols-[minmax(0,1fr)_19rem]">
              <div className="flex min-w-0 flex-col gap-5">
                {isChartFirst && <UsageCard tenantId={tenantId} />}
                <Onboarding tenantId={tenantId} ledgers={ledgers.data} />
              </div>
              <Team tenantId={tenantId} members={members} />
            </div>
          ) : (
            <Onboarding tenantId={tenantId} ledgers={ledgers.data ?? []} />
          )}
          {/* New tenants need the snippet more than an empty chart. */}
          {isAdmin && !isChartFirst && ledgers.data !== undefined && ledgers.data.length > 0 && (
            <UsageCard tenantId={tenantId} />
          )}
        </>
      )}
    </div>
  );
}

const DAY_MS = 86_400_000;

/**
 * Returns whether the chart of the usage is above the snippet: in tenants that are in use. The page
 * doesn't wait for the usage to decide, and its order never changes once it is shown.
 */
function useIsChartFirst(
  ledgers: readonly Ledger[] | undefined,
  days: readonly UsedDay[] | undefined,
): boolean {
  const [isFirst, setFirst] = useState<boolean>();
  if (isFirst !== undefined || ledgers === undefined) return isFirst ?? false;
  const isOld = ({ createdAt }: Ledger) => Date.now() - Date.parse(createdAt) > DAY_MS;
  const decided = ledgers.length > 0 && (days === undefined ? ledgers.some(isOld) : isUsed(days));
  setFirst(decided);
  return decided;
}

/** Number of members and records to show. */
const SHOWN = 6;

/** Shows the first members and the latest activity to admins. */
function Team({ tenantId, members }: { tenantId: string; members: readonly Member[] }) {
  return (
    <div className="flex min-w-0 flex-col gap-5 sm:max-lg:grid sm:max-lg:grid-cols-2 sm:max-lg:items-start">
      <Card
        title="Members"
        actions={
          <LinkButton to={`/fp/cloud/tenants/${tenantId}/members`} tone="link" size="sm">
            Manage members
          </LinkButton>
        }
      >
        {/* The card is the frame of its list. */}
        <ul aria-label="Members" className="-m-3.5 divide-y divide-line">
          {members.slice(0, SHOWN).map(({ userId, name, email, role }) => (
            <PersonRow key={userId} who={email ?? userId} name={name}>
              <span className="text-ink-3">{role}</span>
            </PersonRow>
          ))}
        </ul>
      </Card>
      <ActivityCard tenantId={tenantId} members={members} latest={SHOWN} />
    </div>
  );
}
