import type { Ledger } from '@fixpoint/protocol/admin';
import type { Attached } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useOutletContext } from 'react-router';
import type { DatabasePages } from '../../local/database-pages.ts';
import type { People } from '../../values/who-wrote.ts';

/** Describes the ledger for all of its pages. */
export interface LedgerContext {
  readonly database: BridgedDatabase;
  readonly attached: Promise<Attached>;
  readonly pages: DatabasePages;
  readonly tenantId: string;
  readonly ledgerId: string;
  readonly name: string;
  readonly kind: Ledger['kind'];
  /** The people with access to the ledger. */
  readonly people: People;
}

export const useLedger = (): LedgerContext => useOutletContext<LedgerContext>();
