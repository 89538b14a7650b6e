import { HistoryPage } from '../features/history/history-page.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';

/** .../ledgers/{ledgerId}/history */
export function Component() {
  const { database, pages, name } = useLedger();
  return (
    <>
      <title>{`History · ${name} · Fixpoint`}</title>
      <HistoryPage database={database} pages={pages} isSynced />
    </>
  );
}
