import { HistoryPage } from '../features/history/history-page.tsx';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { useToSend } from '../features/sync/use-to-send.ts';

/** .../ledgers/{ledgerId}/history */
export function Component() {
  const { database, attached, pages, name, people } = useLedger();
  const toSend = useToSend(attached);
  return (
    <>
      <title>{`History · ${name} · Fixpoint`}</title>
      <HistoryPage database={database} name={name} pages={pages} toSend={toSend} people={people} />
    </>
  );
}
