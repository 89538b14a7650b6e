import { useSyncStatus } from '@fixpoint/react';
import { HistoryPage } from '../features/history/history-page.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { useSettled } from '../features/sync/use-settled.ts';

/** .../ledgers/{ledgerId}/history */
export function Component() {
  const { database, attached, pages, name } = useLedger();
  const found = useSettled(attached);
  const status = useSyncStatus(found !== undefined && 'value' in found ? found.value : undefined);
  return (
    <>
      <title>{`History · ${name} · Fixpoint`}</title>
      <HistoryPage database={database} name={name} pages={pages} toSend={status?.toSend ?? 0} />
    </>
  );
}
