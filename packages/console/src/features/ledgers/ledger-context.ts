import type { Database } from 'fixpoint';
import { useOutletContext } from 'react-router';

/** What the pages of a ledger work with. */
export interface LedgerContext {
  readonly database: Database;
  /** Links of documents are this and their encoded id. */
  readonly documentsPath: string;
  readonly tenantId: string;
  readonly name: string;
}

export const useLedger = (): LedgerContext => useOutletContext<LedgerContext>();
