import { useSearchParams } from 'react-router';
import { DocumentsTable } from '../features/documents/table/documents-table.tsx';
import { PastDocuments } from '../features/history/versions/past-view.tsx';
import { headIn } from '../features/history/versions/version-address.ts';
import { useLedger } from '../features/ledgers/ledger-context.ts';
import { useToSend } from '../features/sync/use-to-send.ts';
import { LedgerFirstSteps } from '../features/tenants/snippet-block.tsx';
import { useCanWrite } from '../local/can-write.ts';

/** .../ledgers/{ledgerId}/documents */
export function Component() {
  const { database, attached, pages, tenantId, ledgerId, kind } = useLedger();
  const canWrite = useCanWrite();
  const toSend = useToSend(attached);
  const head = headIn(useSearchParams()[0]);
  return head === undefined ? (
    <DocumentsTable
      database={database}
      basePath={pages.docs}
      toSend={toSend}
      help={canWrite && <LedgerFirstSteps {...{ tenantId, ledgerId }} {...(kind && { kind })} />}
    />
  ) : (
    <PastDocuments database={database} head={head} pages={pages} />
  );
}
