import type { Ledger } from '@fixpoint/protocol/admin';
import { useMemo } from 'react';
import { Outlet, useParams } from 'react-router';
import { useApp } from '../cloud/app.ts';
import { openLedger } from '../cloud/ledger-database.ts';
import { QueryView } from '../cloud/query-view.tsx';
import { useLedgers } from '../cloud/use-cloud.ts';
import type { LedgerContext } from '../features/ledgers/ledger-context.ts';
import { SyncBadge } from '../features/ledgers/sync-badge.tsx';
import { SyncButton } from '../features/sync/sync-button.tsx';
import { LinkButton } from '../ui/button.tsx';
import { NotFound } from '../ui/feedback.tsx';
import { PageHeader } from '../ui/page.tsx';
import { Tabs } from '../ui/tabs.tsx';

/** /fp/cloud/tenants/{tenantId}/ledgers/{ledgerId}: the tabs of a ledger. */
export function Component() {
  const { tenantId = '', ledgerId } = useParams();
  return (
    <QueryView query={useLedgers(tenantId)}>
      {(ledgers) => {
        const ledger = ledgers.find((one) => one.ledgerId === ledgerId);
        return ledger === undefined ? (
          <LedgerNotFound tenantId={tenantId} />
        ) : (
          <LedgerPages ledger={ledger} />
        );
      }}
    </QueryView>
  );
}

function LedgerPages({ ledger: { tenantId, ledgerId, name } }: { ledger: Ledger }) {
  const { api } = useApp();
  const { database, attached } = useMemo(
    () => openLedger(api, tenantId, ledgerId),
    [api, tenantId, ledgerId],
  );
  const base = `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}`;
  const documentsPath = `${base}/documents`;
  const context: LedgerContext = { database, documentsPath, tenantId, ledgerId, name };
  return (
    <>
      <title>{`${name} · Fixpoint`}</title>
      <PageHeader title={name} beside={<SyncBadge attached={attached} />}>
        <SyncButton database={database} attached={attached} />
      </PageHeader>
      <Tabs
        label="Database pages"
        tabs={[
          { to: documentsPath, text: 'Documents' },
          { to: `${base}/sharing`, text: 'Sharing' },
        ]}
      />
      <Outlet key={ledgerId} context={context} />
    </>
  );
}

function LedgerNotFound({ tenantId }: { tenantId: string }) {
  return (
    <>
      <title>Not found · Fixpoint</title>
      <NotFound text="This tenant has no database with this address, or you have no access to it.">
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers`}>Databases</LinkButton>
      </NotFound>
    </>
  );
}
