import { useMemo } from 'react';
import { useTenants } from '../cloud/queries/use-cloud.ts';
import type { People } from '../features/history/commits/who-wrote.ts';
import { HistoryPage } from '../features/history/history-page.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { useToSend } from '../features/sync/use-to-send.ts';

/** .../ledgers/{ledgerId}/history */
export function Component() {
  const { database, attached, pages, name, tenantId } = useLedger();
  const people = usePeople(tenantId);
  const toSend = useToSend(attached);
  return (
    <>
      <title>{`History · ${name} · Fixpoint`}</title>
      <HistoryPage database={database} name={name} pages={pages} toSend={toSend} people={people} />
    </>
  );
}

/** Returns the tenant's members by the ids of their accounts. */
function usePeople(tenantId: string): People {
  const { data: tenants } = useTenants();
  const members = tenants?.find((tenant) => tenant.tenantId === tenantId)?.members;
  return useMemo(
    () =>
      new Map(members?.map(({ userId, name, email }) => [userId, { name: name ?? email ?? userId, email }])),
    [members],
  );
}
