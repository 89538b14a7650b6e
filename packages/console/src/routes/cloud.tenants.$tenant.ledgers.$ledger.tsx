import { isFixpointError } from '@fixpoint/protocol';
import type { Ledger } from '@fixpoint/protocol/admin';
import { useSyncStatus } from '@fixpoint/react';
import { useMemo, useState } from 'react';
import { Outlet, useLocation, useParams } from 'react-router';
import { useApp } from '../cloud/app.ts';
import { knownKind } from '../cloud/ledgers/known-kinds.ts';
import { openLedger } from '../cloud/ledgers/ledger-database.ts';
import { QueryView } from '../cloud/queries/query-view.tsx';
import { useLedgers, useTenants } from '../cloud/queries/use-cloud.ts';
import { Fetching } from '../features/connect/first-sync/first-sync.tsx';
import { DatabaseMenu, LockedButton } from '../features/databases/database-menu.tsx';
import { useNamedPeople } from '../features/history/use-named-people.ts';
import { usePeople } from '../features/history/use-people.ts';
import { KeysNotice } from '../features/keys/keys-notice.tsx';
import { KindBadge } from '../features/keys/kinds/kind-badge.tsx';
import { KindMismatch, useIsOtherKind } from '../features/keys/kinds/kind-mismatch.tsx';
import type { LedgerContext } from '../features/ledgers/ledger-context.ts';
import { LostLedger } from '../features/ledgers/lost-ledger.tsx';
import { RefusedNotice, SyncBadge, useMayWrite } from '../features/sync/sync-badge.tsx';
import { countsOf } from '../features/sync/sync-counts.ts';
import { WritingContext } from '../local/can-write.ts';
import { crumbsBelow, databaseTabs, ledgerPages } from '../local/database-pages.ts';
import { useIsLocked } from '../local/lock.ts';
import { useHasContent, useIsLost } from '../local/lost-database.tsx';
import { Badge } from '../ui/badge.tsx';
import { LinkButton } from '../ui/button.tsx';
import { NotFound } from '../ui/pages/feedback.tsx';
import { lazyComponent } from '../ui/pages/lazy-component.tsx';
import { PageHeader } from '../ui/pages/page.tsx';
import { Tabs } from '../ui/pages/tabs.tsx';
import { useSettled } from '../ui/use-settled.ts';
import { UndoBar } from '../undo/undo-bar.tsx';

const MovedNotice = lazyComponent(
  async () => (await import('../features/ledgers/moved-notice.tsx')).MovedNotice,
);

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
          // State shown for one ledger, such as its recovery code, must not carry over to the next.
          <LedgerPages key={ledgerId} ledger={ledger} />
        );
      }}
    </QueryView>
  );
}

function LedgerPages({ ledger }: { ledger: Ledger }) {
  const { tenantId, ledgerId, name, users, kind, movedTo } = ledger;
  const { api } = useApp();
  const [resets, setResets] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: after a reset another copy is opened
  const { database, attached } = useMemo(
    () => openLedger(api, { tenantId, ledgerId, ...(kind && { kind }) }),
    [api, tenantId, ledgerId, resets],
  );
  const isLost = useIsLost(database);
  const isOtherKind = useIsOtherKind(attached);
  const { pathname } = useLocation();
  const base = `/fp/cloud/tenants/${tenantId}/ledgers/${ledgerId}`;
  const pages = ledgerPages(base);
  const people = useNamedPeople(database, attached, usePeople(tenantId));
  const context: LedgerContext = { database, attached, pages, tenantId, ledgerId, name, kind, people };
  const needsDocuments = pathname !== pages.sharing && pathname !== pages.settings;
  const mayWrite = useMayWrite(users?.[0]?.right, attached);
  const isLocked = useIsLocked(database.name);
  const tenant = (useTenants().data ?? []).find((one) => one.tenantId === tenantId);
  const offersList = tenant?.role === 'admin';
  return (
    <>
      <title>{`${name} · Fixpoint`}</title>
      <PageHeader
        title={name}
        crumbs={crumbsBelow(name, pages, pathname)}
        tabs={<Tabs label="Database pages" tabs={databaseTabs(pages)} />}
        beside={
          <>
            <SyncBadge attached={attached} />
            <KindBadge attached={attached} />
            <LockedButton database={database.name} />
            {!mayWrite && <Badge title="Ask an admin of the tenant for write access.">Read only</Badge>}
          </>
        }
      >
        <DatabaseMenu {...{ database, attached, tenantId }} canLock={mayWrite} />
      </PageHeader>
      <RefusedNotice attached={attached} />
      {movedTo !== undefined && <MovedNotice ledger={context} movedTo={movedTo} />}
      {isOtherKind ? (
        <KindMismatch known={knownKind(ledger)} />
      ) : (
        <KeysNotice {...{ attached, offersList }} />
      )}
      <WritingContext value={!mayWrite ? 'no right' : isLocked ? 'locked' : 'allowed'}>
        {isLost && needsDocuments ? (
          <LostLedger {...{ ledgerId, database }} onReset={() => setResets((count) => count + 1)} />
        ) : (
          // After a reset, the local copy is a different database, so its pages start with fresh
          // state.
          !(isOtherKind && needsDocuments) && <Pages key={resets} {...{ context, needsDocuments }} />
        )}
      </WritingContext>
      {mayWrite && !isLocked && !isLost && <UndoBar database={database} people={people} />}
    </>
  );
}

interface PagesProps {
  readonly context: LedgerContext;
  readonly needsDocuments: boolean;
}

/**
 * Never shows a ledger as an empty database before this browser has fetched or opened the ledger.
 * Once the page shows a ledger, the ledger stays visible even if the connection fails.
 */
function Pages({ context, needsDocuments }: PagesProps) {
  const found = useSettled(context.attached);
  const attached = found !== undefined && 'value' in found ? found.value : undefined;
  const status = useSyncStatus(attached);
  const isFetching = found === undefined || status?.state === 'connecting' || status?.state === 'catching-up';
  const hasContent = useHasContent(context.database);
  const isThere = !isFetching || hasContent;
  const [wasThere, setThere] = useState(isThere);
  if (isThere && !wasThere) setThere(true);
  if (isThere || wasThere || !needsDocuments) return <Outlet context={context} />;
  if (isFixpointError(status?.error, 'DEVICE_NOT_APPROVED')) return null;
  return <Fetching counts={attached && status && countsOf(attached, status)} />;
}

function LedgerNotFound({ tenantId }: { tenantId: string }) {
  return (
    <>
      <title>Not found · Fixpoint</title>
      <NotFound text="This database doesn’t exist, or you don’t have access to it.">
        <LinkButton to={`/fp/cloud/tenants/${tenantId}/ledgers`}>Databases</LinkButton>
      </NotFound>
    </>
  );
}
