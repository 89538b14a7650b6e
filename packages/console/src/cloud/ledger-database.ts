/** The documents of a ledger: a database of this browser that is attached to it. Opened once a page, and kept, so that what was written is also sent. */
import { LEDGER_CACHE_PREFIX } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import type { Attached } from 'fixpoint';
import { type BridgedDatabase, toCloud } from 'fixpoint/bridge';
import { openDatabase } from '../engine/open.ts';
import { answerOf } from './queries.ts';
import { followUnsent } from './unsent-since.ts';

export interface LedgerDatabase {
  readonly database: BridgedDatabase;
  readonly attached: Promise<Attached>;
}

const opened = new Map<string, LedgerDatabase>();

export function openLedger(api: AdminClient, tenant: string, ledger: string): LedgerDatabase {
  const known = opened.get(ledger);
  if (known !== undefined) return known;
  const database = openDatabase(`${LEDGER_CACHE_PREFIX}${ledger}`);
  const remote = toCloud({
    base: location.origin,
    tenant,
    ledger,
    token: () => answerOf(api.cloudSessionToken({ selected: { tenant, ledger } })),
  });
  const made = { database, attached: database.attach(remote) };
  opened.set(ledger, made);
  // One that could not be attached is tried again by the next page that shows it.
  made.attached.then(
    (attached) => followUnsent(database.name, attached),
    () => opened.delete(ledger),
  );
  return made;
}

/** Removes what this browser keeps of a ledger that is gone. @throws FixpointError */
export async function removeLedgerCopy(ledger: string, database: BridgedDatabase): Promise<void> {
  opened.delete(ledger);
  await database.destroy();
}

/** Ends what runs with the rights of the user who leaves. Documents that were not sent stay on this device. */
export async function closeLedgers(): Promise<void> {
  const all = [...opened.values()];
  opened.clear();
  await Promise.allSettled(all.map(({ database }) => database.close()));
}
