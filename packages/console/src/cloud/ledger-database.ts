/** The documents of a ledger: a database of this browser that is attached to it. Opened once a page, and kept. */

import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';
import { type Attached, type Database, fixpoint, toCloud } from 'fixpoint';
import { cloudToken } from './queries.ts';

export interface LedgerDatabase {
  readonly database: Database;
  readonly attached: Promise<Attached>;
}

const opened = new Map<string, LedgerDatabase>();

export function openLedger(tenant: string, ledger: string): LedgerDatabase {
  const known = opened.get(ledger);
  if (known !== undefined) return known;
  const database = fixpoint(`${LEDGER_CACHE_PREFIX}${ledger}`);
  const remote = toCloud({
    base: location.origin,
    tenant,
    ledger,
    token: () => cloudToken({ tenant, ledger }),
  });
  const made = { database, attached: database.attach(remote) };
  opened.set(ledger, made);
  return made;
}
