import type { BridgedDatabase } from 'fixpoint/bridge';
import { useOutletContext } from 'react-router';

/** What the pages of a ledger work with. */
export interface LedgerContext {
  readonly database: BridgedDatabase;
  /** Links of documents are this and their encoded id. */
  readonly documentsPath: string;
  readonly tenantId: string;
  readonly ledgerId: string;
  readonly name: string;
}

export const useLedger = (): LedgerContext => useOutletContext<LedgerContext>();
