/**
 * Opens the local database that is attached to a ledger. Each page opens the database once and
 * keeps it open, so that its writes are sent.
 */

import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';
import type { AdminClient, Ledger } from '@fixpoint/protocol/admin';
import type { Attached } from 'fixpoint';
import { type BridgedDatabase, toCloud } from 'fixpoint/bridge';
import { openDatabase } from '../../engine/page-engine.ts';
import { storageBase } from '../../ui/pages/base-path.ts';
import { cloudToken } from '../queries/queries.ts';
import { forgetKind, knownKind, MEMBER_OPTIONS } from './known-kinds.ts';
import { followUnsent, forgetUnsent } from './unsent-since.ts';

export interface LedgerDatabase {
  readonly database: BridgedDatabase;
  readonly attached: Promise<Attached>;
}

const opened = new Map<string, LedgerDatabase>();

/** Opens this browser's copy of a ledger, and attaches it. */
export function openLedger(
  api: AdminClient,
  { tenantId: tenant, ledgerId: ledger, kind: listed }: Pick<Ledger, 'tenantId' | 'ledgerId' | 'kind'>,
): LedgerDatabase {
  const known = opened.get(ledger);
  if (known !== undefined) return known;
  const database = openDatabase(`${LEDGER_CACHE_PREFIX}${ledger}`);
  const kind = knownKind({ ledgerId: ledger, ...(listed && { kind: listed }) });
  const remote = toCloud({
    base: storageBase(),
    tenant,
    ledger,
    ...(kind && { kind }),
    members: MEMBER_OPTIONS,
    token: () => cloudToken(api, { tenantId: tenant, ledgerId: ledger }),
  });
  const made = { database, attached: database.attach(remote) };
  opened.set(ledger, made);
  // After a failed attach, the next page that shows the ledger tries again.
  made.attached.then(
    (attached) => followUnsent(database.name, attached),
    () => opened.delete(ledger),
  );
  return made;
}

/** Removes this browser's copy of a deleted ledger. @throws FixpointError */
export async function removeLedgerCopy(ledger: string, database: BridgedDatabase): Promise<void> {
  opened.delete(ledger);
  forgetKind(ledger);
  await database.destroy();
}

/**
 * Removes the remains of a copy that the browser deleted, so that a new copy fetches everything
 * again. @throws FixpointError
 */
export async function resetLedgerCopy(ledger: string, database: BridgedDatabase): Promise<void> {
  opened.delete(ledger);
  forgetUnsent(database.name);
  await database.destroy();
}

/**
 * Closes all ledgers when the user signs out, because they sync with that user's rights. Unsent
 * documents stay on this device.
 */
export async function closeLedgers(): Promise<void> {
  const all = [...opened.values()];
  opened.clear();
  await Promise.allSettled(all.map(({ database }) => database.close()));
}
