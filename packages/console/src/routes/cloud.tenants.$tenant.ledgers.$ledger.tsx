import { useSyncStatus } from '@fixpoint/react';
import { useQuery } from '@tanstack/react-query';
import type { Attached, SyncState } from 'fixpoint';
import { useEffect, useMemo, useState } from 'react';
import { Outlet, useParams } from 'react-router';
import { openLedger } from '../cloud/ledger-database.ts';
import { ledgersQuery } from '../cloud/queries.ts';
import { NotFound, PageHeader, Skeleton } from '../ui/feedback.tsx';
import { Tabs } from '../ui/tabs.tsx';

const WORDS: Record<SyncState, string> = {
  offline: 'Offline: changes are kept here and sent later',
  connecting: 'Connecting',
  'catching-up': 'Catching up',
  'in-sync': 'In sync',
  refused: 'Refused',
};

/** /fp/cloud/tenants/{tenantId}/ledgers/{ledgerId}: the tabs of a ledger. */
export function Component() {
  const { tenantId = '', ledgerId = '' } = useParams();
  const ledgers = useQuery(ledgersQuery);
  if (ledgers.isPending) return <Skeleton />;
  const ledger = ledgers.data?.find((one) => one.ledgerId === ledgerId && one.tenantId === tenantId);
  if (ledger === undefined) return <NotFound />;
  const base = `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}`;
  return (
    <>
      <title>{`${ledger.name} · Fixpoint`}</title>
      <PageHeader title={ledger.name} above="Database · open-key">
        <SyncBadge tenantId={tenantId} ledgerId={ledgerId} />
      </PageHeader>
      <Tabs
        label="Database"
        tabs={[
          { to: `${base}/documents`, text: 'Documents' },
          { to: `${base}/sharing`, text: 'Sharing' },
        ]}
      />
      <Outlet context={base} />
    </>
  );
}

function SyncBadge({ tenantId, ledgerId }: { tenantId: string; ledgerId: string }) {
  const opened = useMemo(() => openLedger(tenantId, ledgerId), [tenantId, ledgerId]);
  const [attached, setAttached] = useState<Attached | undefined>();
  const [failed, setFailed] = useState<string | undefined>();
  useEffect(() => {
    let current = true;
    opened.attached.then(
      (found) => current && setAttached(found),
      (error: Error) => current && setFailed(error.message),
    );
    return () => {
      current = false;
    };
  }, [opened]);
  const status = useSyncStatus(attached);
  const state = status?.state ?? 'connecting';
  const bad = failed ?? (state === 'refused' ? status?.error?.message : undefined);
  return (
    <span
      role="status"
      className={`rounded-full border px-3 py-1 text-xs ${bad === undefined ? 'border-line text-muted' : 'border-danger text-danger'}`}
    >
      {failed ?? WORDS[state]}
      {bad !== undefined && failed === undefined ? `: ${bad}` : ''}
    </span>
  );
}
